# Stand-ins for the commands that only Windows has. Each writes its name and arguments to the file that
# $env:RECORD names; the registered tasks are lines of the file that $env:TASKS names.

function Add-Record($Name, $Words) {
    Add-Content -LiteralPath $env:RECORD -Value ("$Name $Words".Trim())
}

function Get-Task($Words) {
    $Words[[Array]::IndexOf($Words, '-TaskName') + 1]
}

foreach ($name in 'icacls', 'Unblock-File', 'Start-ScheduledTask', 'Stop-ScheduledTask') {
    Set-Item "function:$name" ([scriptblock]::Create("Add-Record '$name' `$args"))
}

# What it returns shows in the arguments of Register-ScheduledTask.
foreach ($kind in 'Principal', 'SettingsSet', 'Trigger', 'Action') {
    Set-Item "function:New-ScheduledTask$kind" ([scriptblock]::Create("`"[$kind `$args]`""))
}

function Register-ScheduledTask {
    Add-Record 'Register-ScheduledTask' $args
    Add-Content -LiteralPath $env:TASKS -Value (Get-Task $args)
}

function Get-ScheduledTask {
    $task = Get-Task $args
    if (@(Get-Content -LiteralPath $env:TASKS) -contains $task) { $task }
}

function Unregister-ScheduledTask {
    Add-Record 'Unregister-ScheduledTask' $args
    $task = Get-Task $args
    $others = @(Get-Content -LiteralPath $env:TASKS | Where-Object { $_ -ne $task })
    Set-Content -LiteralPath $env:TASKS -Value $others
}

# The loop of run.cmd, and another one that is not to be ended.
function Get-CimInstance {
    Add-Record 'Get-CimInstance' $args
    if (-not $env:LOOP) { return }
    [pscustomobject]@{ ProcessId = $env:LOOP; CommandLine = "cmd.exe /d /c `"$env:ProgramFiles/Authenticator\run.cmd`"" }
    [pscustomobject]@{ ProcessId = $env:OTHER; CommandLine = 'cmd.exe /d /c C:\other\run.cmd' }
}
