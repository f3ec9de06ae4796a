<?php
// Sends a call, waits for its text and prints it. PHP 7.4 or newer with the curl extension.
//   SVC_URL=http://127.0.0.1:3001 SVC_KEY=svc_... php client.php call.wav

const ATTEMPTS = 7;
const RETRYABLE = [408, 429, 500, 502, 503, 504, 507];

/** The status, the Location and the body of a response, and the problem if the request failed. */
function ask_once(string $path, ?array $form): array
{
    $location = null;
    $curl = curl_init((getenv('SVC_URL') ?: 'http://127.0.0.1:3001') . $path);
    curl_setopt_array($curl, [
        CURLOPT_HTTPHEADER => ['X-API-Key: ' . getenv('SVC_KEY')],
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
    $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
    $problem = $body === false ? curl_error($curl) : (in_array($status, RETRYABLE, true) ? $status : null);
    return [$status, $location, $body, $problem];
}

/** Sends a request; retries network errors and retryable statuses with growing pauses. */
function ask(string $path, ?array $form = null): array
{
    $first = (float) (getenv('SVC_RETRY_SECONDS') ?: '1');
    for ($attempt = 1; ; $attempt++) {
        $response = ask_once($path, $form);
        $problem = $response[3];
        if ($problem === null) {
            return $response;
        }
        if ($attempt === ATTEMPTS) {
            fail('gave up after ' . ATTEMPTS . " attempts: $problem");
        }
        $seconds = $first * 2 ** ($attempt - 1);
        fwrite(STDERR, "attempt $attempt failed: $problem; next one in $seconds s\n");
        usleep((int) ($seconds * 1e6));
    }
}

function fail(string $message): void
{
    fwrite(STDERR, "$message\n");
    exit(1);
}

/** The JSON of a response; stops with the message of the service if it is an error. */
function recording_of(array $response): array
{
    [$status, , $body] = $response;
    $json = json_decode($body, true);
    if ($status >= 400) {
        // A proxy in front of the service can send HTML.
        fail("$status: " . implode('; ', (array) ($json['message'] ?? substr($body, 0, 200))));
    }
    return $json;
}

$file = $argv[1];
$sent = ask('/v1/recordings', [
    'file' => new CURLFile($file, 'application/octet-stream', basename($file)),
    'externalCallId' => 'example-php-' . basename($file), // your own id of the call; a second upload with it gets 409
    'phoneNumber' => '+375291234567',
    'direction' => 'INBOUND',
]);
// 409: an earlier attempt succeeded, and Location has the address of its recording.
$recording = recording_of($sent[0] === 409 && $sent[1] ? ask($sent[1]) : $sent);

while (in_array($recording['status'], ['QUEUED', 'PROCESSING'], true)) {
    sleep(1); // a callback tells you without polling; see receiver.mjs
    $recording = recording_of(ask("/v1/recordings/{$recording['id']}"));
}
if ($recording['status'] !== 'DONE') {
    fail("{$recording['status']}: {$recording['errorMessage']}");
}
echo $recording['transcript']['text'], "\n";
