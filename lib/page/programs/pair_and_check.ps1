$ErrorActionPreference = 'Stop'
$Url = '{{url}}'
$ApiKey = '{{apiKey}}' # Empty where the server asks for none.
$AppName = 'Example Corp'
$Account = 'jane@example.com'
$UserAddress = '203.0.113.7' # IP address of the user who types the pin.

function Invoke-Operation($Operation, $Parameters) {
    $call = @{
        Method      = 'Post'
        Uri         = "$Url/$Operation"
        Headers     = @{ 'X-Api-Key' = $ApiKey; 'X-Authenticator-Source' = $UserAddress }
        ContentType = 'application/json; charset=utf-8'
        Body        = $Parameters | ConvertTo-Json
        TimeoutSec  = 10
    }
    # An error shows the server's sentence and ends the script.
    (Invoke-RestMethod @call).d
}

# Keep the secret encrypted or sealed beside the account: each login needs it.
$secret = '{{secretStart}}'
$random = New-Object byte[] 32
[Security.Cryptography.RandomNumberGenerator]::Create().GetBytes($random)
foreach ($byte in $random) { $secret += 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[$byte % 32] }

$pairing = Invoke-Operation Pair @{ appName = $AppName; appInfo = $Account; secretCode = $secret }
"Setup key: $($pairing.ManualSetupCode)"
"QR code for your page: $($pairing.Html)"

$pin = Read-Host 'Pin'
$isRight = Invoke-Operation ValidatePin @{ pin = $pin; secretCode = $secret }
if ($isRight -is [bool] -and $isRight) { 'The pin is right.' } else { 'The pin is not right.' }
