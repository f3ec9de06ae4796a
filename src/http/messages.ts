import { defineMessages } from '../lib/messages.ts'

/** What is wrong with a request, whatever it is for. */
export const httpMessages = defineMessages('http', {
  unauthorized: 'Missing or invalid credentials',
  forbidden: 'Your role does not allow this',
  notFound: 'Not found',
  methodNotAllowed: 'This address takes {methods}',
  unsupportedMediaType: 'The body must be {expected}',
  compressed: 'The body must not be compressed: send it without Content-Encoding',
  foreignPage: 'The request comes from a foreign page',
  addressTooLong: 'The address must have at most {limit} characters',
  brokenPath: 'The path holds a percent sign that begins no character in UTF-8',
  bodyTooLarge: 'The JSON body must not exceed {limit}',
  publicBodyTooLarge: 'The JSON body must not exceed {limit} here',
  notJson: 'The body is not valid JSON',
  notUtf8: 'The body is not valid JSON: it is not UTF-8 (\ufffd is written \\ufffd)',
  bodyCutOff: 'The connection ended before the body did',
  bodyLate: 'The body did not arrive within {seconds} seconds',
  anotherFile: 'The file is not the one that the request is meant for',
  outsideFile: 'The range lies outside the file',
  noSound: 'The audio is not in the storage any more',
  tooManyLogins: 'Too many failed logins. Try again in {seconds} seconds',
  storageAway: 'The storage does not answer. Try again',
  databaseAway: 'The database does not answer. Try again',
  databaseSlow: 'The database took too long for this. Ask for less, or try again',
  storageFull: 'The storage is full. Nothing was kept',
  broken: 'Something went wrong on our side. Try again; the log holds the reason',
})

/** The rules of fields; each is said about one. */
export const rules = defineMessages('rule', {
  unknownField: 'is not a known field',
  unknownParameter: 'is not a known parameter',
  required: 'is required',
  oneOf: 'must be one of {values}',
  type: 'must be a {type}',
  typeAn: 'must be an {type}',
  atLeast: 'must be at least {limit}',
  atMost: 'must be at most {limit}',
  notEmpty: 'must not be empty',
  minLength: 'must have at least {limit} characters',
  maxLength: 'must have at most {limit} characters',
  minItems: 'must hold at least {limit}',
  maxItems: 'must hold at most {limit}',
  time: 'must be an ISO 8601 time such as 2026-03-01T10:00:00+03:00',
  dayOrTime: 'must be an ISO 8601 time such as 2026-03-01T10:00:00+03:00, or a day such as 2026-03-01',
  digits: 'must hold at least one digit',
  line: 'must be text without control characters',
  email: 'must be an e-mail address',
  uuid: 'must be a UUID',
  format: 'must be a valid {format}',
  pattern: 'must match pattern "{pattern}"',
  other: '{rule}',
  notValid: 'is not valid',
})

/** What is wrong with a form and its files. */
export const formMessages = defineMessages('form', {
  tooLarge: 'The file is larger than {limit} MB',
  broken: 'The multipart body is broken: {reason}',
  text: 'must be text in UTF-8',
  unexpectedFile: 'is a file part that is not expected: send one file, in the part «file»',
  filePart: 'must be a file part, with a file name',
  emptyFile: 'must not be empty',
  filePartAlone: 'must be a file part, with a file name, alone',
  tooLong: 'is too long or misplaced',
  tooMuch: 'The form has too many or too long parts',
})
