# Runs Authenticator on Windows for good: a scheduled task starts it with the machine, as LocalService.
# In PowerShell as administrator, in the folder of the download:
#
#   powershell -ExecutionPolicy Bypass -File install.ps1
#
# That installs, or upgrades. With -RollBack it goes back to the version before, with -Remove it removes
# all but options and log.
#
# The options are in authenticator.conf, in the folder of the installation. The new version checks them
# before anything is replaced. If it does not answer then, or a step fails, the previous version is put
# back. A task that was disabled or removed stays so. The last two work without the download, too, with
# the copy of this script in the folder of the installation.
#
# Authenticator's tests run this script in PowerShell 7 on Linux, with stand-ins for what only Windows
# has, and the batch file below under Wine. They have not run Windows PowerShell or the Task Scheduler;
# this script follows the documentation of their makers.
param(
    [string]$Executable = 'authenticator-windows-x64-bun.exe',
    [switch]$RollBack,
    [switch]$Remove
)
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'

$folder = Join-Path $env:ProgramFiles 'Authenticator'
$program = Join-Path $folder 'authenticator.exe'
$names = 'authenticator.exe', 'run.cmd', 'authenticator-as-service.cmd'
# The version that this script installs, the one that it replaces, and the previous one.
$new = Join-Path $folder 'new'
$now = Join-Path $folder 'now'
$old = Join-Path $folder 'old'
$log = Join-Path $folder 'log'
$self = Join-Path $folder 'install.ps1'
$tasks = 'Authenticator', 'Authenticator log'

# The server runs until it is stopped. The Task Scheduler starts a task again only when it could not be
# started at all, so this file starts the server again itself. It begins a new log when the server
# starts and the old log has more than 10 MB, and keeps three old ones.
$run = @'
@echo off
cd /d "%~dp0"
set "LOG=log\authenticator.log"
:again
if exist "%LOG%" for %%F in ("%LOG%") do if %%~zF gtr 10000000 (
  if exist "%LOG%.2" move /y "%LOG%.2" "%LOG%.3" >nul
  if exist "%LOG%.1" move /y "%LOG%.1" "%LOG%.2" >nul
  move /y "%LOG%" "%LOG%.1" >nul
)
call authenticator-as-service.cmd serve 2>>"%LOG%" >nul
ping -n 6 127.0.0.1 >nul
goto again
'@

# Runs any command with the options of the service: those of versions before 0.2, in options.cmd, too.
$asService = @'
@echo off
setlocal
cd /d "%~dp0"
if exist options.cmd call options.cmd
set "CONFIG=--config authenticator.conf"
for %%C in (help keygen licenses version) do if "%~1"=="%%C" set "CONFIG="
authenticator.exe %* %CONFIG%
'@

# As in the unit of systemd, the operator port is 9101: health, metrics, status and the guard commands.
$options = @'
# Options of the service, one AUTHENTICATOR_NAME=value a line. `authenticator.exe --help` lists them.
# Then check them, and end the server, which starts again with them: docs/windows.md says how.
#
# AUTHENTICATOR_PORT=9000
AUTHENTICATOR_METRICS_PORT=9101
'@

$marker = @'
rem The options are in this file. A version that cannot read it refuses this variable.
set "AUTHENTICATOR_CONFIG=%~dp0authenticator.conf"
'@

function Get-Task($Name) {
    Get-ScheduledTask -TaskName $Name -ErrorAction SilentlyContinue
}

function Stop-Authenticator {
    foreach ($task in $tasks) {
        if (Get-Task $task) { Stop-ScheduledTask -TaskName $task }
    }
    # Stopping a task may leave the processes that it started: first the loop, then the server.
    Get-CimInstance Win32_Process -Filter "Name = 'cmd.exe'" |
        Where-Object { $_.CommandLine -like "*$folder\run.cmd*" } |
        ForEach-Object { Stop-Process -Id $_.ProcessId -Force -ErrorAction SilentlyContinue }
    Get-Process -Name authenticator -ErrorAction SilentlyContinue |
        Where-Object { $_.Path -eq $program } |
        ForEach-Object {
            Stop-Process -InputObject $_ -Force
            $_.WaitForExit()
        }
}

function Remove-Path($Path) {
    if (Test-Path -LiteralPath $Path) { Remove-Item -LiteralPath $Path -Recurse -Force }
}

function Grant-Access {
    icacls @args | Out-Null
    if ($LASTEXITCODE -ne 0) { throw "icacls failed with $LASTEXITCODE, and nothing was replaced: icacls $args" }
}

# Runs a batch file of the folder; its name has no space, which cmd would need quotes for.
function Invoke-Batch($File, $Command) {
    Push-Location -LiteralPath $folder
    try { & $env:ComSpec /d /c $File $Command | Out-Null } finally { Pop-Location }
    $LASTEXITCODE
}

function Write-Lines($Path, $Text) {
    Set-Content -LiteralPath $Path -Value ($Text -split '\r?\n') -Encoding Ascii
}

# Puts the previous version back, or nothing where there was none.
function Restore-Version {
    Stop-Authenticator
    foreach ($name in $names) {
        $saved = Join-Path $now $name
        $path = Join-Path $folder $name
        if (Test-Path -LiteralPath $saved) {
            Copy-Item -LiteralPath $saved -Destination $path -Force
        } else {
            Remove-Path $path
        }
    }
    Remove-Path $now
}

if ($Remove) {
    Stop-Authenticator
    foreach ($task in $tasks) {
        Unregister-ScheduledTask -TaskName $task -Confirm:$false -ErrorAction SilentlyContinue
    }
    foreach ($name in $names) { Remove-Path (Join-Path $folder $name) }
    foreach ($path in $new, $now, $old, $self) { Remove-Path $path }
    Write-Output "Removed. Your options and the log are still in $folder."
    return
}

if ($RollBack) {
    if (-not (Test-Path -LiteralPath $old)) { throw 'there is no previous version' }
    $Executable = Join-Path $old 'authenticator.exe'
}
$Executable = (Resolve-Path -LiteralPath $Executable).ProviderPath
$isFirst = -not (Test-Path -LiteralPath $program)
New-Item -ItemType Directory -Force -Path $folder, $log | Out-Null
# Options can hold passwords: only administrators (S-1-5-32-544), the system (S-1-5-18) and the service
# (LocalService, S-1-5-19) may read them. The service may write its log and nothing else.
Grant-Access $folder /inheritance:r /grant '*S-1-5-32-544:(OI)(CI)F' '*S-1-5-18:(OI)(CI)F' '*S-1-5-19:(OI)(CI)RX'
Grant-Access $log /grant '*S-1-5-19:(OI)(CI)M'
if (Test-Path -LiteralPath $now) {
    Write-Output 'A run was cut before its end: going back first.'
    Restore-Version
}

$saving = Join-Path $folder 'now.new'
foreach ($path in $new, $saving) { Remove-Path $path }
New-Item -ItemType Directory -Path $new | Out-Null
$copy = Join-Path $new 'authenticator.exe'
Copy-Item -LiteralPath $Executable -Destination $copy
Unblock-File -LiteralPath $copy
if ($RollBack) {
    foreach ($name in $names) {
        Copy-Item -LiteralPath (Join-Path $old $name) -Destination (Join-Path $new $name) -Force
    }
} else {
    Write-Lines (Join-Path $new 'run.cmd') $run
    Write-Lines (Join-Path $new 'authenticator-as-service.cmd') $asService
}
$optionsFile = Join-Path $folder 'authenticator.conf'
$isMade = -not (Test-Path -LiteralPath $optionsFile)
if ($isMade) { Write-Lines $optionsFile $options }
# The options of the service, read by the new version.
Write-Lines (Join-Path $new 'check.cmd') $asService.Replace('%~dp0', '%~dp0..').Replace('authenticator.exe', 'new\authenticator.exe')
# With 1, only the store of the guard cannot be used: a server starts, and answers false until it can.
if ((Invoke-Batch 'new\check.cmd' 'check') -gt 1) {
    Remove-Path $new
    if ($isMade) { Remove-Path $optionsFile }
    throw 'this version cannot start with these options, and nothing was replaced'
}

$isSame = -not $isFirst -and (Get-FileHash -LiteralPath $copy).Hash -eq (Get-FileHash -LiteralPath $program).Hash
$main = Get-Task $tasks[0]
$isDisabled = $main -and $main.State -eq 'Disabled'
# The task that renews the log can be removed or disabled, to keep the server running.
$logTask = Get-Task $tasks[1]
$isLogDisabled = $logTask -and $logTask.State -eq 'Disabled'
$isDone = $false
try {
    Stop-Authenticator
    # The previous version is saved whole, or not at all.
    New-Item -ItemType Directory -Path $saving | Out-Null
    foreach ($name in $names) {
        $path = Join-Path $folder $name
        if (Test-Path -LiteralPath $path) { Copy-Item -LiteralPath $path -Destination $saving }
    }
    Move-Item -LiteralPath $saving -Destination $now
    foreach ($name in $names) {
        Move-Item -LiteralPath (Join-Path $new $name) -Destination (Join-Path $folder $name) -Force
    }

    $principal = New-ScheduledTaskPrincipal -UserId 'LOCALSERVICE' -LogonType ServiceAccount
    # Priority 7, the default of tasks, is below that of other programs.
    $settings = New-ScheduledTaskSettingsSet -ExecutionTimeLimit ([TimeSpan]::Zero) -Priority 4 `
        -RestartCount 255 -RestartInterval (New-TimeSpan -Minutes 1) `
        -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries
    Register-ScheduledTask -Force -TaskName $tasks[0] -Principal $principal -Settings $settings `
        -Trigger (New-ScheduledTaskTrigger -AtStartup) `
        -Action (New-ScheduledTaskAction -Execute "$env:SystemRoot\System32\cmd.exe" `
            -Argument "/d /c `"`"$folder\run.cmd`"`"") | Out-Null
    if ($isDisabled) { Disable-ScheduledTask -TaskName $tasks[0] | Out-Null }
    # A log can only be renamed while no server writes into it: once a week the server starts again.
    if ($logTask -or -not $main) {
        Register-ScheduledTask -Force -TaskName $tasks[1] -Principal $principal `
            -Trigger (New-ScheduledTaskTrigger -Weekly -DaysOfWeek Sunday -At 4am) `
            -Action (New-ScheduledTaskAction -Execute "$env:SystemRoot\System32\WindowsPowerShell\v1.0\powershell.exe" `
                -Argument "-NoProfile -Command `"Get-Process authenticator | Where-Object Path -eq '$program' | Stop-Process -Force`"") | Out-Null
    }
    if ($isLogDisabled) { Disable-ScheduledTask -TaskName $tasks[1] | Out-Null }

    if (-not $isDisabled) {
        Start-ScheduledTask -TaskName $tasks[0]
        for ($tries = 0; (Invoke-Batch 'authenticator-as-service.cmd' 'healthcheck') -ne 0; $tries++) {
            if ($tries -ge 15) { throw "the server does not answer: $log\authenticator.log says why" }
            Start-Sleep -Seconds 1
        }
    }
    # A second run keeps the version before it.
    if ($RollBack -or $isSame -or $isFirst) {
        Remove-Path $now
    } else {
        Remove-Path $old
        Move-Item -LiteralPath $now -Destination $old
    }
    $isDone = $true
} finally {
    # Also after Ctrl-C, which no catch sees.
    if (-not $isDone) {
        if (Test-Path -LiteralPath $now) { Restore-Version }
        if ($isMade) { Remove-Path $optionsFile }
        if ($isFirst) {
            foreach ($task in $tasks) {
                Unregister-ScheduledTask -TaskName $task -Confirm:$false -ErrorAction SilentlyContinue
            }
        } elseif ($main -and -not $isDisabled) {
            Start-ScheduledTask -TaskName $tasks[0]
        }
    }
    foreach ($path in $new, $saving) { Remove-Path $path }
}
# An older version reads this file alone, and must not start without the options.
$oldOptions = Join-Path $folder 'options.cmd'
if (-not (Test-Path -LiteralPath $oldOptions)) {
    Write-Lines $oldOptions $marker
} elseif (-not (Select-String -LiteralPath $oldOptions -SimpleMatch 'AUTHENTICATOR_CONFIG' -Quiet)) {
    # The last line may have no end.
    Add-Content -LiteralPath $oldOptions -Value (@('') + ($marker -split '\r?\n')) -Encoding Ascii
}
if ($PSCommandPath -ne $self) { Copy-Item -LiteralPath $PSCommandPath -Destination $self -Force }
if ($isDisabled) {
    Write-Output "Installed in $folder. The task Authenticator is disabled, and was not started."
} else {
    Write-Output "Installed in $folder. The log is $folder\log\authenticator.log."
}
