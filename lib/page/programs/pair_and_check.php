<?php
const URL = '{{url}}';
const API_KEY = '{{apiKey}}'; // Empty where the server asks for none.
const APP_NAME = 'Example Corp';
const ACCOUNT = 'jane@example.com';
const USER_ADDRESS = '203.0.113.7'; // On a web page: $_SERVER['REMOTE_ADDR'].

function call(string $operation, array $arguments)
{
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => [
            'Content-Type: application/json',
            'X-Api-Key: ' . API_KEY,
            'X-Authenticator-Source: ' . USER_ADDRESS,
        ],
        'content' => json_encode($arguments),
        'timeout' => 10,
        'ignore_errors' => true,
    ]]);
    $reply = @file_get_contents(URL . '/' . $operation, false, $context);
    if ($reply === false) {
        throw new Exception('No answer from the service, or allow_url_fopen is off');
    }
    $answer = json_decode($reply);
    if (!isset($answer->d)) {
        throw new Exception($answer->Message ?? $reply);
    }
    return $answer->d;
}

// Keep the secret encrypted or sealed beside the account: each login needs it.
$secret = '{{secretStart}}';
while (strlen($secret) < 32) {
    $secret .= 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[random_int(0, 31)];
}

$pairing = call('Pair', [
    'appName' => APP_NAME,
    'appInfo' => ACCOUNT,
    'secretCode' => $secret,
]);
echo "Setup key: $pairing->ManualSetupCode\n";
echo "QR code for your page: $pairing->Html\n";

echo 'Pin: ';
$pin = trim(fgets(STDIN));
$isRight = call('ValidatePin', ['pin' => $pin, 'secretCode' => $secret]) === true;
echo $isRight ? "The pin is right.\n" : "The pin is not right.\n";
