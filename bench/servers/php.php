<?php
// The service as people would write it with PHP's own SoapServer, for PHP's own web server.
//
// Usage: WSDL=FILE php -S 127.0.0.1:PORT php.php

class Service {
    public function ValidatePin($parameters) {
        return ['ValidatePinResult' => right($parameters->pin, $parameters->secretCode)];
    }
}

function code(string $secret, int $step): string {
    $mac = hash_hmac('sha1', pack('J', $step), $secret, true);
    $truncated = unpack('N', substr($mac, ord($mac[19]) & 15, 4))[1] & 0x7fffffff;
    return str_pad((string) ($truncated % 1000000), 6, '0', STR_PAD_LEFT);
}

function right(string $pin, string $secret): bool {
    $step = intdiv(time(), 30);
    foreach ([0, -1, 1] as $distance) {
        if (hash_equals(code($secret, $step + $distance), $pin)) {
            return true;
        }
    }
    return false;
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if ($path === '/healthz') {
    echo 'ok';
} elseif (str_ends_with($path, '/ValidatePin')) {
    header('Content-Type: text/xml; charset=utf-8');
    $result = right($_REQUEST['pin'], $_REQUEST['secretCode']) ? 'true' : 'false';
    echo "<boolean>$result</boolean>";
} else {
    $version = str_contains($_SERVER['CONTENT_TYPE'] ?? '', 'soap+xml') ? SOAP_1_2 : SOAP_1_1;
    $server = new SoapServer(getenv('WSDL'), ['soap_version' => $version]);
    $server->setClass('Service');
    $server->handle();
}
