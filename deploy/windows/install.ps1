# Runs Authenticator on Windows for good: a scheduled task starts it with the machine, as LocalService.
# In PowerShell as administrator, in the folder of the download:
#
#   powershell -ExecutionPolicy Bypass -File install.ps1            # installs, or updates
#   powershell -ExecutionPolicy Bypass -File install.ps1 -Remove    # removes all but the options
#
# Authenticator's tests run this script in PowerShell 7 on Linux, with stand-ins for what only Windows
# has, and the batch file below under Wine. They have not run Windows PowerShell or the Task Scheduler;
# docs/windows.md names the documentation that this script follows.
param(
    [string]$Executable = 'authenticator-windows-x64-bun.exe',
    [switch]$Remove
)
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'

$folder = Join-Path $env:ProgramFiles 'Authenticator'
$program = Join-Path $folder 'authenticator.exe'
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

# Runs any command with the options of the service. As in the unit of systemd, the operator port is 9101:
# health, metrics, status and the guard commands.
$asService = @'
@echo off
setlocal
cd /d "%~dp0"
set "AUTHENTICATOR_METRICS_PORT=9101"
if exist options.cmd call options.cmd
authenticator.exe %*
'@

$options = @'
rem Options of the service, one a line. `authenticator.exe --help` lists them. Write a % as %%.
rem Then check them, and end the server, which starts again with them: docs/windows.md says how.
rem
rem set "AUTHENTICATOR_PORT=9000"
'@

function Stop-Authenticator {
    foreach ($task in $tasks) {
        if (Get-ScheduledTask -TaskName $task -ErrorAction SilentlyContinue) {
            Stop-ScheduledTask -TaskName $task
        }
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

if ($Remove) {
    Stop-Authenticator
    foreach ($task in $tasks) {
        Unregister-ScheduledTask -TaskName $task -Confirm:$false -ErrorAction SilentlyContinue
    }
    foreach ($name in 'authenticator.exe', 'authenticator.old.exe', 'run.cmd', 'authenticator-as-service.cmd', 'log') {
        $path = Join-Path $folder $name
        if (Test-Path -LiteralPath $path) { Remove-Item -LiteralPath $path -Recurse }
    }
    Write-Output "Removed. Your options are still in $folder."
    return
}

New-Item -ItemType Directory -Force -Path $folder, (Join-Path $folder 'log') | Out-Null
# Options can hold passwords: only administrators (S-1-5-32-544), the system (S-1-5-18) and the service
# (LocalService, S-1-5-19) may read them. The service may write its log and nothing else.
icacls $folder /inheritance:r /grant '*S-1-5-32-544:(OI)(CI)F' '*S-1-5-18:(OI)(CI)F' '*S-1-5-19:(OI)(CI)RX' | Out-Null
icacls (Join-Path $folder 'log') /grant '*S-1-5-19:(OI)(CI)M' | Out-Null
$new = Join-Path $folder 'authenticator.new.exe'
Copy-Item -LiteralPath $Executable -Destination $new -Force
Unblock-File -LiteralPath $new
Stop-Authenticator
if (Test-Path -LiteralPath $program) {
    Move-Item -LiteralPath $program -Destination (Join-Path $folder 'authenticator.old.exe') -Force
}
Move-Item -LiteralPath $new -Destination $program -Force
Set-Content -LiteralPath (Join-Path $folder 'run.cmd') -Value ($run -split '\r?\n') -Encoding Ascii
Set-Content -LiteralPath (Join-Path $folder 'authenticator-as-service.cmd') -Encoding Ascii `
    -Value ($asService -split '\r?\n')
$optionsFile = Join-Path $folder 'options.cmd'
if (-not (Test-Path -LiteralPath $optionsFile)) {
    Set-Content -LiteralPath $optionsFile -Value ($options -split '\r?\n') -Encoding Ascii
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
# A log can only be renamed while no server writes into it: once a week the server starts again.
Register-ScheduledTask -Force -TaskName $tasks[1] -Principal $principal `
    -Trigger (New-ScheduledTaskTrigger -Weekly -DaysOfWeek Sunday -At 4am) `
    -Action (New-ScheduledTaskAction -Execute "$env:SystemRoot\System32\WindowsPowerShell\v1.0\powershell.exe" `
        -Argument "-NoProfile -Command `"Get-Process authenticator | Where-Object Path -eq '$program' | Stop-Process -Force`"") | Out-Null
Start-ScheduledTask -TaskName $tasks[0]
Write-Output "Installed in $folder. The log is $folder\log\authenticator.log."
