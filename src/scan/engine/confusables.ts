/** Letters of other scripts that look like a Latin letter, by the Latin letter. */
const lookAlikes: Readonly<Record<string, string>> = {
  a: 'аɑαӑӓạ',
  b: 'Ьƅᖯъʙ',
  c: 'сϲᴄⅽċ',
  d: 'ԁԀɗժ',
  e: 'еєҽℯёεэ',
  f: 'ƒϝքʄ',
  g: 'ɡցɢ',
  h: 'һհн',
  i: 'іɩιїɪıӏ',
  j: 'јϳʝ',
  k: 'кκқᴋ',
  l: 'ӏⅼʟⵏ',
  m: 'мᴍⅿ',
  n: 'пոռɴη',
  o: 'оοօσөӧ๐૦',
  p: 'рρϱ',
  q: 'ԛգզ',
  r: 'гᴦɼʀ',
  s: 'ѕꜱʂ',
  t: 'тτᴛ',
  u: 'υսцʋᴜ',
  v: 'νѵᴠט',
  w: 'ԝшωᴡա',
  x: 'хχⅹ×',
  y: 'уүγყʏ',
  z: 'ᴢʐζ',
  A: 'АΑᎪ',
  B: 'ВΒᏴ',
  C: 'СϹᏟ',
  E: 'ЕΕᎬЁ',
  D: 'ᎠÐ',
  G: 'ԌᏀ',
  H: 'НΗᎻ',
  I: 'ІΙӀ',
  J: 'ЈᎫ',
  K: 'КΚᏦ',
  L: 'ᏞᒪԼ',
  M: 'МΜᎷ',
  N: 'ΝИ',
  O: 'ОΟՕ',
  P: 'РΡᏢ',
  R: 'ЯᖇᏒ',
  S: 'ЅᏚՏ',
  T: 'ТΤᎢ',
  U: 'Սᑌ',
  V: 'ѴᏙ',
  W: 'ԜᎳ',
  X: 'ХΧ',
  Y: 'УΥҮ',
  Z: 'ΖᏃ',
}

const latinOf = new Map<string, string>()
for (const [latin, others] of Object.entries(lookAlikes))
  for (const other of others) latinOf.set(other, latin)

const foreignWords =
  /[\p{L}\p{M}\p{N}_'-]*[\u0370-\u058F\u0250-\u02AF\u1400-\u167F\u13A0-\u13FF\u1D00-\u1D2B][\p{L}\p{M}\p{N}_'-]*/gu
const latinLetter = /[A-Za-z]/

/**
 * The text with look-alike letters replaced by Latin ones, in words that mix scripts or consist of look-alikes only. A
 * word of another language has letters without a Latin twin, so it stays as it is.
 */
export function foldLookAlikes(text: string): { readonly text: string; readonly words: readonly string[] } {
  if (!/[\u0250-\u02AF\u0370-\u058F\u13A0-\u167F\u1D00-\u1D2B]/.test(text)) return { text, words: [] }
  const words: string[] = []
  const isLatinText = (text.match(/[A-Za-z]/g)?.length ?? 0) > (text.match(/[\u0370-\u058F]/g)?.length ?? 0)
  const folded = text.replace(foreignWords, (word) => {
    const isMixed = latinLetter.test(word)
    const letters = Array.from(word)
    const skeleton = letters.map((letter) => latinOf.get(letter) ?? letter).join('')
    if (!/^[\x20-\x7e]+$/.test(skeleton) || (!isMixed && (!isLatinText || letters.length < 3))) return word
    words.push(skeleton)
    return skeleton
  })
  return { text: folded, words }
}
