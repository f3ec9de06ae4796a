import { expect } from 'chai'
import {
  MULTIPART_FORM_END,
  formatMultipartFilePart,
  TestFormServer,
  formatMultipartPart,
  formatMultipartTextPart,
  COMPLETE_MULTIPART_FORM,
  type TestMultipartForm,
} from '../../test/forms.ts'

describe('multipart forms', () => {
  const server = new TestFormServer()
  const read = (given: TestMultipartForm) => server.submitForm(given)
  before(() => server.start())
  after(() => server.stop())

  const PARTS = [
    ['a', 'Анна'],
    ['b', ''],
    ['c', '5'],
    ['file 1.wav', 'sound\r\n--boun\r\n--\r\n\r--bound'],
    ['file 2.wav', ''],
  ]

  it('the parser returns the same form for any split into chunks', async () => {
    const bytes = [...COMPLETE_MULTIPART_FORM].map((byte) => Buffer.from([byte]))
    expect(await read({ body: COMPLETE_MULTIPART_FORM, pieces: bytes })).to.deep.equal({
      parts: PARTS,
      error: undefined,
    })
    for (let at = 1; at < COMPLETE_MULTIPART_FORM.length; at++) {
      const outcome = await read({
        body: COMPLETE_MULTIPART_FORM,
        pieces: [COMPLETE_MULTIPART_FORM.subarray(0, at), COMPLETE_MULTIPART_FORM.subarray(at)],
      })
      expect(outcome, `cut at ${at}`).to.deep.equal({ parts: PARTS, error: undefined })
    }
  })

  it('a form can contain files larger than the buffer', async () => {
    const sound = 'sound'.repeat(100)
    const { parts } = await read({
      body:
        formatMultipartTextPart('a', 'b') +
        formatMultipartFilePart('1.wav', sound) +
        formatMultipartFilePart('2.wav', sound) +
        MULTIPART_FORM_END,
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
    it(`the parser reads the file name from ${header}`, async () => {
      const { parts } = await read({
        body: formatMultipartPart(`name="file"; ${header}`, 'sound') + MULTIPART_FORM_END,
      })
      expect(parts).to.deep.equal([[`file ${name}`, 'sound']])
    })
  }

  it('the parser ignores a file whose name cannot be decoded', async () => {
    for (const name of [`UTF-8''%D0%B.wav`, `windows-1251''%E0%E.wav`, `windows-1251''`, `martian''%D0%B0.wav`]) {
      const { parts } = await read({
        body: formatMultipartPart(`name="file"; filename*=${name}`, 'sound') + MULTIPART_FORM_END,
      })
      expect(parts, name).to.deep.equal([])
    }
  })

  it('the parser converts file names in other charsets for any split into chunks', async () => {
    const named = (name: string, content: string) =>
      formatMultipartPart(`name="file"; filename*=windows-1251''${name}`, content, 'Content-Type: audio/wav\r\n')
    const content = named('%E1', 'x').replace('bound', 'boun') + named('%E3', '').replace('--bound', '-- bound')
    const body = Buffer.from(
      formatMultipartTextPart('a', named('%E2', '').slice(9)) +
        named('%E0.wav', content) +
        named('%E7', '') +
        MULTIPART_FORM_END,
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

  it('the parser ignores filename* in other parameters, other headers and too long headers', async () => {
    const quoted = formatMultipartPart(`name="file"; filename="; filename*=windows-1251''%E0"`, '')
    const other = formatMultipartPart('name="file"; filename="1"', '', `X-More: a; filename*=windows-1251''%E0\r\n`)
    expect((await read({ body: quoted + other + MULTIPART_FORM_END })).parts).to.deep.equal([
      [`file ; filename*=windows-1251''%E0`, ''],
      ['file 1', ''],
    ])
    const late = formatMultipartPart(
      `name="file"; filename*=windows-1251''%E0`,
      'x',
      `X-Long: ${'x'.repeat(16 * 1024)}\r\n`,
    )
    expect((await read({ body: late + MULTIPART_FORM_END })).error).to.equal('broken: Malformed part header')
  })

  it('the parser accepts texts in UTF-8 only', async () => {
    const cyrillic = Buffer.from([0xc0, 0xed, 0xed, 0xe0])
    const named = 'Content-Type: text/plain; charset=windows-1251\r\n'
    expect((await read({ body: formatMultipartTextPart('имя', 'Анна') + MULTIPART_FORM_END })).parts).to.deep.equal([
      ['имя', 'Анна'],
    ])
    for (const more of ['', named]) {
      const [head, tail] = formatMultipartTextPart('x', '|', more).split('|') as [string, string]
      const body = Buffer.concat([Buffer.from(head), cyrillic, Buffer.from(tail + MULTIPART_FORM_END)])
      expect((await read({ body })).error).to.equal('text: must be text in UTF-8')
    }
  })

  it('a form can have an empty file field', async () => {
    const octets = 'Content-Type: application/octet-stream\r\n'
    for (const none of [
      formatMultipartFilePart('', '', octets),
      formatMultipartPart('name="file"', 'x', octets),
      formatMultipartFilePart('..', 'x'),
      formatMultipartFilePart('a/', 'x'),
    ]) {
      const outcome = await read({ body: none + formatMultipartTextPart('a', 'b') + MULTIPART_FORM_END })
      expect(outcome, none).to.deep.equal({ parts: [['a', 'b']], error: undefined })
    }
  })

  it('a form can reach every limit, but not exceed the number of parts', async () => {
    const name = 'n'.repeat(100)
    const parts =
      formatMultipartTextPart(name, 'x'.repeat(100)) +
      formatMultipartTextPart('b', '') +
      formatMultipartTextPart('c', '') +
      formatMultipartFilePart('1', '') +
      formatMultipartFilePart('2', '')
    expect((await read({ body: parts + MULTIPART_FORM_END, limits: { parts: 5 } })).error).to.equal(undefined)
    expect((await read({ body: parts + MULTIPART_FORM_END, limits: { parts: 4 } })).error).to.equal(
      'parts: Too many parts',
    )
  })

  const long = (bytes: number) => `X-Long: ${'x'.repeat(bytes)}\r\n`
  const malformed = 'broken: Malformed part header'
  for (const [what, body, error] of [
    ['no content', '', 'broken: Unexpected end of form'],
    ['no boundary', 'nonsense', 'broken: Unexpected end of form'],
    ['no last boundary', formatMultipartFilePart('a', 'b'), 'broken: Unexpected end of form'],
    ['a truncated last boundary', `${formatMultipartFilePart('a', 'b')}--bound-`, 'broken: Unexpected end of form'],
    ['a truncated header', '--bound\r\nContent-Dispo', 'broken: Unexpected end of form'],
    ['a part without a name', formatMultipartPart('x="y"', 'z') + MULTIPART_FORM_END, 'broken: a part has no name'],
    [
      'a file part without a name',
      formatMultipartPart('filename="a"', 'z') + MULTIPART_FORM_END,
      'broken: a part has no name',
    ],
    ['an empty name', formatMultipartTextPart('', 'x') + MULTIPART_FORM_END, 'broken: a part has no name'],
    ['a part without headers', `--bound\r\n\r\nx\r\n${MULTIPART_FORM_END}`, malformed],
    [
      'an unfinished header',
      `--bound\r\nContent-Disposition: form-data; name="a"\r\n${MULTIPART_FORM_END}`,
      'broken: Unexpected end of form',
    ],
    ['a header without a colon', formatMultipartTextPart('a', 'b').replace(':', '') + MULTIPART_FORM_END, malformed],
    ['a control character in a header', formatMultipartTextPart('a\0', 'b') + MULTIPART_FORM_END, malformed],
    ['a header of 100 KB', formatMultipartTextPart('a', 'b', long(100_000)) + MULTIPART_FORM_END, malformed],
    ['a header of 20 KB', formatMultipartTextPart('a', 'b', long(20_000)) + MULTIPART_FORM_END, malformed],
    ['a name of 100 KB', formatMultipartTextPart('a'.repeat(100_000), 'b') + MULTIPART_FORM_END, malformed],
    ['a file name of 100 KB', formatMultipartFilePart('a'.repeat(100_000), 'b') + MULTIPART_FORM_END, malformed],
    [
      'a name of 101 characters',
      formatMultipartTextPart('a'.repeat(101), 'b') + MULTIPART_FORM_END,
      'parts: Field name too long',
    ],
    [
      'a text of 101 bytes',
      formatMultipartTextPart('a', 'x'.repeat(101)) + MULTIPART_FORM_END,
      'parts: a text is too long',
    ],
    [
      'a too long text after a file',
      formatMultipartFilePart('a', '') + formatMultipartTextPart('a', 'x'.repeat(5000)) + MULTIPART_FORM_END,
      'parts: a text is too long',
    ],
    [
      'an unknown charset',
      formatMultipartTextPart('a', 'b', 'Content-Type: text/plain; charset=bogus\r\n') + MULTIPART_FORM_END,
      'text: must be text in UTF-8',
    ],
    ['a name in brackets', formatMultipartTextPart('a[0]', 'b') + MULTIPART_FORM_END, 'unknown: is not a known field'],
    ['too many texts', formatMultipartTextPart('a', 'b').repeat(4) + MULTIPART_FORM_END, 'parts: Too many fields'],
    ['too many files', formatMultipartFilePart('a', 'b').repeat(3) + MULTIPART_FORM_END, 'files: too many files'],
    ['10,000 parts', formatMultipartTextPart('a', 'b').repeat(10_000) + MULTIPART_FORM_END, 'parts: Too many fields'],
    [
      'a file in an unexpected part',
      formatMultipartPart('name="audio"; filename="a"', 'b') + MULTIPART_FORM_END,
      'files: an unexpected file',
    ],
  ] as const) {
    it(`the parser reads and rejects a form with ${what}`, async () => {
      expect((await read({ body })).error).to.equal(error)
    })
  }

  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=']) {
    it(`the parser rejects the content type ${type.slice(0, 60)}`, async () => {
      expect((await read({ body: COMPLETE_MULTIPART_FORM, type })).error).to.equal(
        'broken: Multipart: Boundary not found',
      )
    })
  }

  it('a file of the maximum size is accepted, and one byte more is rejected', async () => {
    const limits = { fileBytes: 500 }
    const fitting = await read({ body: formatMultipartFilePart('1', 'x'.repeat(500)) + MULTIPART_FORM_END, limits })
    expect(fitting.error).to.equal(undefined)
    const { error } = await read({
      body: formatMultipartFilePart('1', 'x'.repeat(501)) + formatMultipartTextPart('a', 'b') + MULTIPART_FORM_END,
      limits,
    })
    expect(error).to.equal('size: the file is too large')
  })

  it('the parser rejects a form above the size limit', async () => {
    const { parts, error } = await read({
      body: formatMultipartFilePart('a', 'x'.repeat(200_000)) + MULTIPART_FORM_END,
      limits: { bodyBytes: 1000 },
    })
    expect([parts, error]).to.deep.equal([[], 'size: the form is too large'])
  })
})
