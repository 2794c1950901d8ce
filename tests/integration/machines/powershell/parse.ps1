# Parses each file that an argument names, and prints the errors of PowerShell's parser.
foreach ($path in $args) {
    $errors = $null
    [System.Management.Automation.Language.Parser]::ParseFile($path, [ref]$null, [ref]$errors) | Out-Null
    foreach ($problem in $errors) {
        "$(Split-Path -Leaf $path): $($problem.Extent.StartLineNumber): $($problem.Message -replace '\s+', ' ')"
    }
}
