<?php

// Calls an operation with PHP's SoapClient, made from a WSDL, and prints what came of it as JSON.
//
// Usage: php soap.php WSDL-URL VERSION OPERATION < PARAMETERS.json

declare(strict_types=1);

if (!extension_loaded('soap')) {
    fwrite(STDERR, "the extension soap of PHP is missing: apt-get install php-soap\n");
    exit(1);
}

[, $wsdl, $version, $operation] = $argv;
$parameters = json_decode(stream_get_contents(STDIN), true, 2, JSON_THROW_ON_ERROR);
$mediaTypes = ['1.1' => 'text/xml', '1.2' => 'application/soap+xml'];

$client = new SoapClient($wsdl, [
    'soap_version' => $version === '1.1' ? SOAP_1_1 : SOAP_1_2,
    'cache_wsdl' => WSDL_CACHE_NONE,
    'exceptions' => true,
    'trace' => true,
]);
try {
    $response = $client->__soapCall($operation, [$parameters]);
    $outcome = ['result' => $response->{"{$operation}Result"}];
} catch (SoapFault $fault) {
    $outcome = ['fault' => ['code' => $fault->faultcode, 'message' => $fault->faultstring]];
}
// That the version asked for was spoken, both ways.
foreach ([$client->__getLastRequestHeaders(), $client->__getLastResponseHeaders()] as $headers) {
    if (stripos((string) $headers, "\nContent-Type: {$mediaTypes[$version]};") === false) {
        fwrite(STDERR, "not SOAP $version: $headers\n");
        exit(1);
    }
}
echo json_encode($outcome, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE), "\n";
