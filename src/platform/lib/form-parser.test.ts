import { expect } from 'chai'
import {
  FORM_END,
  formatFilePart,
  FormServer,
  formatPart,
  formatTextPart,
  COMPLETE_FORM,
  type TestForm,
} from '../../test/forms.ts'

describe('multipart forms', () => {
  const server = new FormServer()
  const read = (given: TestForm) => server.submitForm(given)
  before(() => server.start())
  after(() => server.stop())

  const PARTS = [
    ['a', 'Анна'],
    ['b', ''],
    ['c', '5'],
    ['file 1.wav', 'sound\r\n--boun\r\n--\r\n\r--bound'],
    ['file 2.wav', ''],
  ]

  it('come out the same wherever the network cuts them', async () => {
    const bytes = [...COMPLETE_FORM].map((byte) => Buffer.from([byte]))
    expect(await read({ body: COMPLETE_FORM, pieces: bytes })).to.deep.equal({ parts: PARTS, error: undefined })
    for (let at = 1; at < COMPLETE_FORM.length; at++) {
      const outcome = await read({
        body: COMPLETE_FORM,
        pieces: [COMPLETE_FORM.subarray(0, at), COMPLETE_FORM.subarray(at)],
      })
      expect(outcome, `cut at ${at}`).to.deep.equal({ parts: PARTS, error: undefined })
    }
  })

  it('may hold files larger than the memory for them, in one piece with all the rest', async () => {
    const sound = 'sound'.repeat(100)
    const { parts } = await read({
      body: formatTextPart('a', 'b') + formatFilePart('1.wav', sound) + formatFilePart('2.wav', sound) + FORM_END,
    })
    expect(parts).to.deep.equal([
      ['a', 'b'],
      ['file 1.wav', sound],
      ['file 2.wav', sound],
    ])
  })

  for (const [header, name] of [
    ['filename="запись.wav"', 'запись.wav'],
    ['filename="a%22b%0D%0Ac%41.wav"', 'a"b\r\nc%41.wav'],
    ['filename="a\\"b\\\\c.wav"', 'c.wav'],
    ['filename="C:\\calls\\1.wav"', '1.wav'],
    ['filename="../../etc/passwd"', 'passwd'],
    [`filename="x"; filename*=UTF-8''%D0%B0.wav`, 'а.wav'],
    [`filename="x"; filename*=UTF-8''%E0%E1.wav`, '\ufffd\ufffd.wav'],
    [`filename*=windows-1251''%E7%E2%EE%ED%EE%EA.wav`, 'звонок.wav'],
    [`filename="x"; FileName*=KOI8-R'ru'%C1%20(1).wav;size=5`, 'а (1).wav'],
    [`filename*=windows-1251''%E0%2F..%2F%E1.wav`, 'б.wav'],
    ['filename="говор \ufffd.wav"', 'говор \ufffd.wav'],
    ['filename=plain.wav', 'plain.wav'],
  ]) {
    it(`may name a file by ${header}`, async () => {
      const { parts } = await read({ body: formatPart(`name="file"; ${header}`, 'sound') + FORM_END })
      expect(parts).to.deep.equal([[`file ${name}`, 'sound']])
    })
  }

  it('take no file whose name cannot be read', async () => {
    for (const name of [`UTF-8''%D0%B.wav`, `windows-1251''%E0%E.wav`, `windows-1251''`, `martian''%D0%B0.wav`]) {
      const { parts } = await read({ body: formatPart(`name="file"; filename*=${name}`, 'sound') + FORM_END })
      expect(parts, name).to.deep.equal([])
    }
  })

  it('have names in other charsets read wherever the network cuts them, and content left as it is that looks like a header', async () => {
    const named = (name: string, content: string) =>
      formatPart(`name="file"; filename*=windows-1251''${name}`, content, 'Content-Type: audio/wav\r\n')
    const content = named('%E1', 'x').replace('bound', 'boun') + named('%E3', '').replace('--bound', '-- bound')
    const body = Buffer.from(
      formatTextPart('a', named('%E2', '').slice(9)) + named('%E0.wav', content) + named('%E7', '') + FORM_END,
    )
    const parts = [
      ['a', named('%E2', '').slice(9)],
      ['file а.wav', content],
      ['file з', ''],
    ]
    const limits = { textBytes: 1000 }
    const pieces = [...body].map((byte) => Buffer.from([byte]))
    expect(await read({ body, pieces, limits })).to.deep.equal({ parts, error: undefined })
    for (let at = 1; at < body.length; at++) {
      const outcome = await read({ body, pieces: [body.subarray(0, at), body.subarray(at)], limits })
      expect(outcome, `cut at ${at}`).to.deep.equal({ parts, error: undefined })
    }
  })

  it('have no name read that stands in another parameter, in another header, or behind a header of 16 KB', async () => {
    const quoted = formatPart(`name="file"; filename="; filename*=windows-1251''%E0"`, '')
    const other = formatPart('name="file"; filename="1"', '', `X-More: a; filename*=windows-1251''%E0\r\n`)
    expect((await read({ body: quoted + other + FORM_END })).parts).to.deep.equal([
      [`file ; filename*=windows-1251''%E0`, ''],
      ['file 1', ''],
    ])
    const late = formatPart(`name="file"; filename*=windows-1251''%E0`, 'x', `X-Long: ${'x'.repeat(16 * 1024)}\r\n`)
    expect((await read({ body: late + FORM_END })).error).to.equal('broken: Malformed part header')
  })

  it('have their texts in UTF-8; another charset, named or not, is refused, so that no two texts become one', async () => {
    const cyrillic = Buffer.from([0xc0, 0xed, 0xed, 0xe0])
    const named = 'Content-Type: text/plain; charset=windows-1251\r\n'
    expect((await read({ body: formatTextPart('имя', 'Анна') + FORM_END })).parts).to.deep.equal([['имя', 'Анна']])
    for (const more of ['', named]) {
      const [head, tail] = formatTextPart('x', '|', more).split('|') as [string, string]
      const body = Buffer.concat([Buffer.from(head), cyrillic, Buffer.from(tail + FORM_END)])
      expect((await read({ body })).error).to.equal('text: must be text in UTF-8')
    }
  })

  it('may have a field for files in which none was chosen', async () => {
    const octets = 'Content-Type: application/octet-stream\r\n'
    for (const none of [
      formatFilePart('', '', octets),
      formatPart('name="file"', 'x', octets),
      formatFilePart('..', 'x'),
      formatFilePart('a/', 'x'),
    ]) {
      const outcome = await read({ body: none + formatTextPart('a', 'b') + FORM_END })
      expect(outcome, none).to.deep.equal({ parts: [['a', 'b']], error: undefined })
    }
  })

  it('may reach every limit', async () => {
    const name = 'n'.repeat(100)
    const parts =
      formatTextPart(name, 'x'.repeat(100)) +
      formatTextPart('b', '') +
      formatTextPart('c', '') +
      formatFilePart('1', '') +
      formatFilePart('2', '')
    expect((await read({ body: parts + FORM_END, limits: { parts: 5 } })).error).to.equal(undefined)
    expect((await read({ body: parts + FORM_END, limits: { parts: 4 } })).error).to.equal('parts: Too many parts')
  })

  const long = (bytes: number) => `X-Long: ${'x'.repeat(bytes)}\r\n`
  const malformed = 'broken: Malformed part header'
  for (const [what, body, error] of [
    ['nothing', '', 'broken: Unexpected end of form'],
    ['no boundary', 'nonsense', 'broken: Unexpected end of form'],
    ['no last boundary', formatFilePart('a', 'b'), 'broken: Unexpected end of form'],
    ['half a last boundary', `${formatFilePart('a', 'b')}--bound-`, 'broken: Unexpected end of form'],
    ['half a header', '--bound\r\nContent-Dispo', 'broken: Unexpected end of form'],
    ['a part without a name', formatPart('x="y"', 'z') + FORM_END, 'broken: a part has no name'],
    ['a file without a name of its part', formatPart('filename="a"', 'z') + FORM_END, 'broken: a part has no name'],
    ['an empty name', formatTextPart('', 'x') + FORM_END, 'broken: a part has no name'],
    ['a part without a header', `--bound\r\n\r\nx\r\n${FORM_END}`, malformed],
    [
      'a header that does not end',
      `--bound\r\nContent-Disposition: form-data; name="a"\r\n${FORM_END}`,
      'broken: Unexpected end of form',
    ],
    ['a header without a colon', formatTextPart('a', 'b').replace(':', '') + FORM_END, malformed],
    ['a control character in a header', formatTextPart('a\0', 'b') + FORM_END, malformed],
    ['a header of 100 KB', formatTextPart('a', 'b', long(100_000)) + FORM_END, malformed],
    ['a header of 20 KB', formatTextPart('a', 'b', long(20_000)) + FORM_END, malformed],
    ['a name of 100 KB', formatTextPart('a'.repeat(100_000), 'b') + FORM_END, malformed],
    ['a file name of 100 KB', formatFilePart('a'.repeat(100_000), 'b') + FORM_END, malformed],
    ['a name of 101 characters', formatTextPart('a'.repeat(101), 'b') + FORM_END, 'parts: Field name too long'],
    ['a text of 101 bytes', formatTextPart('a', 'x'.repeat(101)) + FORM_END, 'parts: a text is too long'],
    [
      'a text that is too long behind a file',
      formatFilePart('a', '') + formatTextPart('a', 'x'.repeat(5000)) + FORM_END,
      'parts: a text is too long',
    ],
    [
      'a charset that is none',
      formatTextPart('a', 'b', 'Content-Type: text/plain; charset=bogus\r\n') + FORM_END,
      'text: must be text in UTF-8',
    ],
    ['a name in brackets', formatTextPart('a[0]', 'b') + FORM_END, 'unknown: is not a known field'],
    ['too many texts', formatTextPart('a', 'b').repeat(4) + FORM_END, 'parts: Too many fields'],
    ['too many files', formatFilePart('a', 'b').repeat(3) + FORM_END, 'files: too many files'],
    ['10,000 parts', formatTextPart('a', 'b').repeat(10_000) + FORM_END, 'parts: Too many fields'],
    ['a file in another part', formatPart('name="audio"; filename="a"', 'b') + FORM_END, 'files: an unexpected file'],
  ] as const) {
    it(`are refused with ${what}, once all of it has come`, async () => {
      expect((await read({ body })).error).to.equal(error)
    })
  }

  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=']) {
    it(`are refused with the content type ${type.slice(0, 60)}`, async () => {
      expect((await read({ body: COMPLETE_FORM, type })).error).to.equal('broken: Multipart: Boundary not found')
    })
  }

  it('may hold files of the size allowed, and not of a byte more', async () => {
    const limits = { fileBytes: 500 }
    const fitting = await read({ body: formatFilePart('1', 'x'.repeat(500)) + FORM_END, limits })
    expect(fitting.error).to.equal(undefined)
    const { error } = await read({
      body: formatFilePart('1', 'x'.repeat(501)) + formatTextPart('a', 'b') + FORM_END,
      limits,
    })
    expect(error).to.equal('size: the file is too large')
  })

  it('are refused as soon as they are too large', async () => {
    const { parts, error } = await read({
      body: formatFilePart('a', 'x'.repeat(200_000)) + FORM_END,
      limits: { bodyBytes: 1000 },
    })
    expect([parts, error]).to.deep.equal([[], 'size: the form is too large'])
  })
})
