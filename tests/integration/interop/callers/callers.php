<?php

// How public callers in PHP call, and how they cut the reply apart; each by its row in the list of
// public callers. Prints what it found, a line for each: NAME=VALUE.
//
// Usage: php callers.php ROW OPERATION URL VALUE...

declare(strict_types=1);

if (!extension_loaded('simplexml')) {
    fwrite(STDERR, "the extension simplexml of PHP is missing: apt-get install php-xml\n");
    exit(1);
}

[, $row, $operation, $url] = $argv;
$values = array_slice($argv, 4);

function request(string $method, string $url, array $headers = [], ?string $body = null): array
{
    $http = ['method' => $method, 'header' => $headers, 'ignore_errors' => true];
    $http += ['follow_location' => 0, 'content' => $body ?? ''];
    $text = file_get_contents($url, false, stream_context_create(['http' => $http]));
    return [(int) explode(' ', $http_response_header[0])[1], $text];
}

function form(string $url, string $body, array $headers = []): array
{
    $headers[] = 'Content-Type: application/x-www-form-urlencoded';
    return request('POST', $url, $headers, $body);
}

function named(string $operation, array $values): array
{
    $names = $operation === 'Pair' ? ['appName', 'appInfo', 'secretCode'] : ['pin', 'secretCode'];
    return array_combine($names, $values);
}

function answer(bool $accepted): string
{
    return 'accepted=' . ($accepted ? 'true' : 'false');
}

$args = named($operation, $values);
$found = match ("$row $operation") {
    // The Html goes into the page as it is; the root of the XML is compared without case.
    '4 Pair' => (function () use ($url, $args) {
        $headers = ['Content-Type: application/x-www-form-urlencoded', 'Cache-Control: no-cache'];
        $query = http_build_query(['AppName' => $args['appName'], 'AppInfo' => $args['appInfo'],
            'SecretCode' => $args['secretCode']]);
        [$status, $html] = request('GET', "$url/pair.aspx?$query", $headers);
        return $status === 200 ? ["html=$html"] : [];
    })(),
    '4 ValidatePin' => (function () use ($url, $args) {
        $body = http_build_query($args);
        [$status, $xml] = form("$url/api.asmx/ValidatePin", $body, ['Accept: application/xml']);
        $root = (string) simplexml_load_string($xml);
        return [answer($status === 200 && strtolower($root) === 'true')];
    })(),
    // The values are put into the body as they are; XML becomes an array by way of JSON.
    '5 Pair' => (function () use ($url, $args) {
        $body = "appName={$args['appName']}&appInfo={$args['appInfo']}";
        [, $xml] = form("$url/api.asmx/Pair", "$body&secretCode={$args['secretCode']}");
        $array = json_decode(json_encode(simplexml_load_string($xml)), true);
        return ["setupCode={$array['ManualSetupCode']}", "html={$array['Html']}"];
    })(),
    '5 ValidatePin' => (function () use ($url, $args) {
        $body = "pin={$args['pin']}&secretCode={$args['secretCode']}";
        [, $xml] = form("$url/api.asmx/ValidatePin", $body);
        $array = json_decode(json_encode(simplexml_load_string($xml)), true);
        return [answer($array[0] === 'true')];
    })(),
    '6 Pair' => (function () use ($url, $args) {
        $headers = ['Accept-Encoding: gzip, deflate, br'];
        [, $text] = form("$url/api.asmx/Pair", http_build_query($args), $headers);
        $xml = new SimpleXMLElement($text);
        return ['html=' . (string) $xml->Html];
    })(),
    '6 ValidatePin' => (function () use ($url, $args) {
        $headers = ['Accept-Encoding: gzip, deflate, br'];
        [, $text] = form("$url/api.asmx/ValidatePin", http_build_query($args), $headers);
        $xml = new SimpleXMLElement($text);
        return [answer((string) $xml == 'true')];
    })(),
    // Over plain HTTP, and a redirection would not be followed.
    '7 Pair' => (function () use ($url, $args) {
        [$status, $text] = request('GET', "$url/api.asmx/Pair?" . http_build_query($args));
        $xml = simplexml_load_string($text);
        return ["setupCode=$xml->ManualSetupCode", "html=$xml->Html", "status=$status"];
    })(),
    '7 ValidatePin' => (function () use ($url, $args) {
        [, $text] = request('GET', "$url/api.asmx/ValidatePin?" . http_build_query($args));
        return [answer((string) simplexml_load_string($text) === 'true')];
    })(),
    '20 ValidatePin' => (function () use ($url, $args) {
        $query = http_build_query(['Pin' => $args['pin'], 'SecretCode' => $args['secretCode']]);
        return [answer(file_get_contents("$url/Validate.aspx?$query") === 'True')];
    })(),
    // A pin as a number, which loses its leading zeros.
    '20-int ValidatePin' => (function () use ($url, $args) {
        $query = http_build_query(['Pin' => (int) $args['pin'], 'SecretCode' => $args['secretCode']]);
        return [answer(file_get_contents("$url/Validate.aspx?$query") === 'True')];
    })(),
    '24 Pair' => (function () use ($url, $args) {
        $query = 'AppName=' . urlencode($args['appName']) . '&AppInfo=' . urlencode($args['appInfo'])
            . '&SecretCode=' . urlencode($args['secretCode']);
        return ['html=' . file_get_contents("$url/pair.aspx?$query")];
    })(),
    '24 ValidatePin' => (function () use ($url, $args) {
        $query = 'Pin=' . urlencode($args['pin']) . '&SecretCode=' . urlencode($args['secretCode']);
        $text = file_get_contents("$url/Validate.aspx?$query");
        return [answer(strtolower(trim($text)) === 'true')];
    })(),
};
echo implode("\n", $found), "\n";
