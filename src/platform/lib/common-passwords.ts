/**
 * Words that the lists of leaked passwords are full of, alone and with a tail such as 123 or 2024!; Russian ones also as
 * they come out of a keyboard with Latin letters.
 */
const WORDS = new Set(
  `
  abc abcd abcde abcdef access account admin administrator adminadmin alexander alexandr america andrew angel anthony
  apple archer arsenal asdf asdfg asdfgh asdfghjk asdfghjkl ashley austin azerty babygirl bailey bandit banana
  barcelona baseball basketball batman bigdaddy blessed boomer brandon buster butterfly casper changeme charles charlie
  cheese chelsea chicken chocolate christian company computer cookie corvette cowboy creative crystal dakota dallas
  daniel default demo diablo diamond dolphin dragon eagle einstein elephant eminem excellent extreme facebook falcon
  ferrari football forever frank freedom friends gandalf gateway george gfhjkm ghbdtn ginger golfer google guest guitar
  hacker hammer hannah happy harley heaven hello helpme hockey home hotdog hunter iloveu iloveyou inside internet jackson
  jasmine jennifer jessica jesus john johnson jordan joseph joshua justin killer klaster kristina lakers letmein
  liverpool login london lovely loveme lover loveyou maggie manager marina marlboro martin master matrix matthew maverick
  mercedes merlin metallica michael michelle mickey midnight monday money monkey monster mother murphy mustang mylove
  myspace naruto nastya natalia natasha newyork nicholas nicole nikita nintendo nothing office oracle orange parol parola
  pass passw0rd passwd password passwort patrick pepper phoenix playboy please pokemon porsche power prince princess
  private purple qazwsx qazwsxedc qwer qwert qwerty qwertyu qwertyui qwertyuiop qweasd qweasdzxc qweqwe rainbow ranger
  readme redsox richard robert rocket root samantha samsung samurai scooter secret secure security server service shadow
  shannon silver simple skywalker slayer slipknot smokey snoopy soccer sparky spiderman spring starwars steelers stella
  steven success summer sunday sunflower sunshine superman superstar support sweetheart system teacher temp tennis test
  tester testing testtest thomas thunder tiger tigger tinker trustno twitter undertaker unknown user valentina vfhbyf
  victoria viktoria viking vladimir warcraft welcome whatever william wilson windows winner winter wizard worldcup
  yamaha yankees yellow yfnfif zxcv zxcvb zxcvbn zxcvbnm
  админ админка алексей анастасия андрей валентина виктория владимир деньги дмитрий екатерина здравствуй йцукен йцуке
  йцукенг йцукенгш йцукенгшщз красота любимая любимый любовь максим марина медведь наталья наташа пароль привет
  россия самсунг сергей солнце солнышко спартак татьяна тест фыва фывапролдж
  ltlvjhjp rhfcjnf cjkysirj k.,jdm fyfcnfcbz yfnfkmz ctrhtn lfybbk vfrcbv kbxyjcnm
  almaty amsterdam astana athens baku beijing berlin boston brest brussels bucharest budapest chicago delhi dubai gomel
  grodno houston istanbul kazan kiev kyiv lisbon madrid milan minsk mogilev moscow moskva mumbai novosibirsk odessa omsk
  paris perm petersburg piter prague riga rome samara seattle singapore sydney tallinn tashkent tbilisi tokyo toronto
  vienna vilnius vitebsk warsaw yerevan
  алматы астана баку брест варшава витебск вильнюс гомель гродно екатеринбург ереван казань киев минск могилев могилёв
  москва новосибирск одесса омск париж пермь петербург питер рига самара ташкент тбилиси
  vjcrdf vbycr gbnth
  `
    .trim()
    .split(/\s+/),
)

/** Letters that digits and signs stand for. */
const LOOKALIKES: Record<string, string> = { '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '@': 'a', $: 's' }

/** What stands side by side on a keyboard, its digits or a telephone, or in the alphabet. */
const RUNS = [
  '012345678901234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjkl;',
  'zxcvbnm',
  'йцукенгшщзхъ',
  'фывапролджэ',
  'ячсмитьбю',
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  'q1w2e3r4t5y6u7i8o9p0',
  'zaq12wsxcde34rfv',
  'qazwsxedcrfvtgbyhnujm',
  'a1b2c3d4e5f6g7h8',
  '1a2b3c4d5e6f7g8h',
  '!@#$%^&*()_+',
  '147258369',
  '159',
  '357',
]

/**
 * Whether a password, in lower case, is one that everybody guesses first: a common word with or without digits and
 * signs around it, a run of the keyboard, a short piece over and over, or nothing but such pieces one after another.
 */
export function isCommonPassword(password: string): boolean {
  return isRepeated(password) || isRun(password) || isWord(password) || isDoubledRun(password) || isPatchwork(password)
}

/** 11111111, abcabcabc, 12121212: a piece of at most four characters, or a common word, again and again. */
function isRepeated(password: string): boolean {
  const piece = /^(.+?)\1+.{0,2}$/u.exec(password)?.[1]
  return piece !== undefined && (piece.length <= 4 || isWord(piece) || isRun(piece))
}

/** 12345678, 87654321, qwertyuiop, 1q2w3e4r. */
function isRun(password: string): boolean {
  const backwards = password.split('').toReversed().join('')
  return RUNS.some((run) => run.includes(password) || run.includes(backwards))
}

/** 11223344, aabbccdd. */
const isDoubledRun = (password: string): boolean =>
  /^(?:(.)\1)+$/u.test(password) && isRun(password.replace(/(.)\1/gu, '$1'))

/** password, Password1!, 1password, myp@ssw0rd2024: the word, and at most six digits and signs on either side. */
function isWord(password: string): boolean {
  const stem = password.replace(/(?<=\p{L})\P{L}{1,6}$/u, '')
  const core = stem.replace(/^\P{L}{1,6}(?=\p{L})/u, '')
  return [password, stem, core].some((text) => isPlainWord(text) || isPlainWord(text.replace(/^(my|the)/, '')))
}

const isPlainWord = (text: string): boolean =>
  WORDS.has(text) || WORDS.has(text.replace(/[01345@$]/g, (sign) => LOOKALIKES[sign]!))

/** No longer password is a patchwork: what is long and not a repetition is guessed late. */
const LONGEST_PATCHWORK = 64
const SHORTEST_PIECE = 3
const LONGEST_PIECE = 22

/**
 * 1234qwer, qwe123qwe, 159753456, password123456789, a12345678: runs, repeated characters and a common word, and at
 * most two characters besides. Several words that differ are a passphrase, unless nothing stands between them.
 */
function isPatchwork(password: string): boolean {
  if (password.length > LONGEST_PATCHWORK) return false
  const words = new Set<string>()
  let rest = 0
  for (let at = 0; at < password.length;) {
    const piece = longestPiece(password, at)
    if (piece && isPlainWord(piece)) words.add(piece)
    if (!piece) rest++
    at += piece?.length ?? 1
  }
  return rest <= 2 && password.length - rest >= 6 && words.size <= (rest === 0 ? 2 : 1)
}

function longestPiece(password: string, at: number): string | undefined {
  for (let length = LONGEST_PIECE; length >= SHORTEST_PIECE; length--) {
    const piece = password.slice(at, at + length)
    if (piece.length === length && (/^(.)\1+$/su.test(piece) || isRun(piece) || isPlainWord(piece))) return piece
  }
  return undefined
}
