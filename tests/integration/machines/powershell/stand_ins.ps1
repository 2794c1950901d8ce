# Stand-ins for the commands that only Windows has. Each writes its name and arguments to the file that
# $env:RECORD names; the registered tasks are lines of the file that $env:TASKS names, with their states.
# The command that $env:CUT names fails, once.

function Add-Record($Name, $Words) {
    if ($Name -eq $env:CUT) {
        $env:CUT = ''
        throw "$Name fails"
    }
    Add-Content -LiteralPath $env:RECORD -Value ("$Name $Words".Trim())
}

function Get-TaskName($Words) {
    $Words[[Array]::IndexOf($Words, '-TaskName') + 1]
}

function Set-Task($Name, $State) {
    $others = @(Get-Content -LiteralPath $env:TASKS | Where-Object { $_ -notlike "$Name=*" })
    if ($State) { $others += "$Name=$State" }
    Set-Content -LiteralPath $env:TASKS -Value $others
}

function icacls {
    Add-Record 'icacls' $args
    $global:LASTEXITCODE = [int]$env:ICACLS
}

foreach ($name in 'Unblock-File', 'Start-ScheduledTask', 'Stop-ScheduledTask') {
    Set-Item "function:$name" ([scriptblock]::Create("Add-Record '$name' `$args"))
}

# What it returns shows in the arguments of Register-ScheduledTask.
foreach ($kind in 'Principal', 'SettingsSet', 'Trigger', 'Action') {
    Set-Item "function:New-ScheduledTask$kind" ([scriptblock]::Create("`"[$kind `$args]`""))
}

function Register-ScheduledTask {
    Add-Record 'Register-ScheduledTask' $args
    Set-Task (Get-TaskName $args) 'Ready'
}

function Disable-ScheduledTask {
    Add-Record 'Disable-ScheduledTask' $args
    Set-Task (Get-TaskName $args) 'Disabled'
}

function Get-ScheduledTask {
    $task = Get-TaskName $args
    foreach ($line in @(Get-Content -LiteralPath $env:TASKS)) {
        $name, $state = $line -split '='
        if ($name -eq $task) { [pscustomobject]@{ State = $state } }
    }
}

function Unregister-ScheduledTask {
    Add-Record 'Unregister-ScheduledTask' $args
    Set-Task (Get-TaskName $args) ''
}

function Start-Sleep { }

# The loop of run.cmd, and another one that is not to be ended.
function Get-CimInstance {
    Add-Record 'Get-CimInstance' $args
    if (-not $env:LOOP) { return }
    [pscustomobject]@{ ProcessId = $env:LOOP; CommandLine = "cmd.exe /d /c `"$env:ProgramFiles/Authenticator\run.cmd`"" }
    [pscustomobject]@{ ProcessId = $env:OTHER; CommandLine = 'cmd.exe /d /c C:\other\run.cmd' }
}

# Commands of PowerShell itself that fail where the test says so, and only on what is installed.
foreach ($name in 'Copy-Item', 'Move-Item') {
    Set-Item "function:$name" ([scriptblock]::Create(@"
        param([string]`$LiteralPath, [string]`$Destination, [switch]`$Force)
        if ('$name' -eq `$env:CUT -and `$Destination -match 'now\.new`$|\.cmd`$') {
            `$env:CUT = ''
            throw '$name fails'
        }
        Microsoft.PowerShell.Management\$name @PSBoundParameters
"@))
}
