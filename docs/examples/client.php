<?php
// Sends a call, waits for its text and prints it. PHP 7.4 or newer with the curl extension.
//   SVC_URL=http://127.0.0.1:3001 SVC_KEY=svc_... php client.php call.wav

$url = getenv('SVC_URL') ?: 'http://127.0.0.1:3001';
$key = getenv('SVC_KEY') ?: '';

/** The status, the Location and the JSON of an answer. */
function ask(string $path, ?array $form = null): array
{
    global $url, $key;
    $location = null;
    $curl = curl_init($url . $path);
    curl_setopt_array($curl, [
        CURLOPT_HTTPHEADER => ["X-API-Key: $key"],
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 600,
        CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$location) {
            if (stripos($line, 'location:') === 0) {
                $location = trim(substr($line, 9));
            }
            return strlen($line);
        },
    ]);
    if ($form !== null) {
        curl_setopt($curl, CURLOPT_POSTFIELDS, $form);
    }
    $body = curl_exec($curl);
    if ($body === false) {
        fail(curl_error($curl));
    }
    return [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $location, json_decode($body, true)];
}

function fail(string $message): void
{
    fwrite(STDERR, "$message\n");
    exit(1);
}

/** The JSON of an answer, or an end with what the service says is wrong. */
function must(array $answer): array
{
    [$status, , $body] = $answer;
    if ($status >= 400) {
        fail("$status: " . implode('; ', (array) $body['message']));
    }
    return $body;
}

$file = $argv[1];
$sent = ask('/v1/recordings', [
    'file' => new CURLFile($file, 'application/octet-stream', basename($file)),
    'externalCallId' => 'example-php-' . basename($file), // your own id of the call: sent twice, it is refused with 409
    'phoneNumber' => '+375291234567',
    'direction' => 'INBOUND',
]);
// Already there, because an earlier try got through: its address is in Location.
$recording = $sent[0] === 409 && $sent[1] ? must(ask($sent[1])) : must($sent);

while (in_array($recording['status'], ['QUEUED', 'PROCESSING'], true)) {
    sleep(1);
    $recording = must(ask("/v1/recordings/{$recording['id']}"));
}
if ($recording['status'] !== 'DONE') {
    fail("{$recording['status']}: {$recording['errorMessage']}");
}
echo $recording['transcript']['text'], "\n";
