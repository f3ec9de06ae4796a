# Sends a call, waits for its text and prints it. Python 3.8 or newer, no packages.
#   SVC_URL=http://127.0.0.1:3001 SVC_KEY=svc_... python3 client.py call.wav
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

URL = os.environ.get("SVC_URL", "http://127.0.0.1:3001")
KEY = os.environ.get("SVC_KEY", "")


def ask(path, body=None, content_type=None):
    """The status, the headers and the JSON of an answer."""
    request = urllib.request.Request(URL + path, data=body, headers={"X-API-Key": KEY})
    if content_type:
        request.add_header("Content-Type", content_type)
    try:
        with urllib.request.urlopen(request, timeout=600) as answer:
            return answer.status, answer.headers, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, error.headers, json.load(error)


def must(answer):
    """The JSON of an answer, or an end with what the service says is wrong."""
    status, _, body = answer
    if status >= 400:
        message = body["message"]
        sys.exit(f"{status}: {'; '.join(message) if isinstance(message, list) else message}")
    return body


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
    "externalCallId": f"example-py-{name}",  # your own id of the call: sent twice, it is refused with 409
    "phoneNumber": "+375291234567",
    "direction": "INBOUND",
}
with open(path, "rb") as file:
    sent = ask("/v1/recordings", *form(fields, name, file.read()))
if sent[0] == 409 and sent[1]["Location"]:  # already there, because an earlier try got through
    recording = must(ask(sent[1]["Location"]))
else:
    recording = must(sent)

while recording["status"] in ("QUEUED", "PROCESSING"):
    time.sleep(1)
    recording = must(ask(f"/v1/recordings/{recording['id']}"))
if recording["status"] != "DONE":
    sys.exit(f"{recording['status']}: {recording['errorMessage']}")
print(recording["transcript"]["text"])
