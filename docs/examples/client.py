# Sends a call, waits for its text and prints it. Python 3.8 or newer, no packages.
#   SVC_URL=http://127.0.0.1:3001 SVC_KEY=svc_... python3 client.py call.wav
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

URL = os.environ.get("SVC_URL", "http://127.0.0.1:3001")
KEY = os.environ.get("SVC_KEY", "")
FIRST_PAUSE = float(os.environ.get("SVC_RETRY_SECONDS", "1"))
ATTEMPTS = 7
RETRYABLE = (408, 429, 500, 502, 503, 504, 507)


def ask_once(path, body, content_type):
    """The status, the headers and the body of a response."""
    request = urllib.request.Request(URL + path, data=body, headers={"X-API-Key": KEY})
    if content_type:
        request.add_header("Content-Type", content_type)
    try:
        with urllib.request.urlopen(request, timeout=600) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def ask(path, body=None, content_type=None):
    """Sends a request; retries network errors and retryable statuses with growing pauses."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            response = ask_once(path, body, content_type)
            if response[0] not in RETRYABLE:
                return response
            problem = response[0]
        except (OSError, http.client.HTTPException) as error:
            problem = getattr(error, "reason", error) or type(error).__name__
        if attempt < ATTEMPTS:
            seconds = FIRST_PAUSE * 2 ** (attempt - 1)
            print(f"attempt {attempt} failed: {problem}; next one in {seconds:g} s", file=sys.stderr)
            time.sleep(seconds)
    sys.exit(f"gave up after {ATTEMPTS} attempts: {problem}")


def recording_of(response):
    """The JSON of a response; stops with the message of the service if it is an error."""
    status, _, body = response
    if status < 400:
        return json.loads(body)
    sys.exit(f"{status}: {message_of(body)}")


def message_of(body):
    """The error message of the service; a proxy in front of it can send HTML."""
    try:
        message = json.loads(body)["message"]
    except ValueError:
        return body[:200].decode(errors="replace")
    return "; ".join(message) if isinstance(message, list) else message


def form(fields, name, content):
    """A multipart body and its content type."""
    boundary = uuid.uuid4().hex
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode()
        for field, value in fields.items()
    ]
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
    return b"".join([*parts, head, content, f"\r\n--{boundary}--\r\n".encode()]), f"multipart/form-data; boundary={boundary}"


path = sys.argv[1]
name = os.path.basename(path)
fields = {
    "externalCallId": f"example-py-{name}",  # your own id of the call; a second upload with it gets 409
    "phoneNumber": "+375291234567",
    "direction": "INBOUND",
}
with open(path, "rb") as file:
    sent = ask("/v1/recordings", *form(fields, name, file.read()))
if sent[0] == 409 and sent[1]["Location"]:  # an earlier attempt succeeded
    sent = ask(sent[1]["Location"])
recording = recording_of(sent)

while recording["status"] in ("QUEUED", "PROCESSING"):
    time.sleep(1)  # a callback tells you without polling; see receiver.mjs
    recording = recording_of(ask(f"/v1/recordings/{recording['id']}"))
if recording["status"] != "DONE":
    sys.exit(f"{recording['status']}: {recording['errorMessage']}")
print(recording["transcript"]["text"])
