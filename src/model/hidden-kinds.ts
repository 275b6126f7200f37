export type HiddenKind =
  | 'control characters'
  | 'direction overrides'
  | 'tag characters'
  | 'annotation marks'
  | 'terminal codes'
  | 'variation selectors'
  | 'zero-width characters'

/** A direction mark is kept only if right-to-left text stands within this many characters of it. */
const nearby = 100

/**
 * The visible text around a run of hidden characters. It stays whether or not the run is removed, so decisions based on
 * it give the same result on a second pass.
 */
export class RunContext {
  readonly #text: string
  readonly #start: number
  readonly #end: number

  constructor(text: string, start: number, end: number) {
    this.#text = text
    this.#start = start
    this.#end = end
  }

  /** The character before the run; empty at the beginning of the text. */
  get before(): string {
    const at = this.#start - 1
    return this.#text.slice(
      Math.max(isIn(this.#text.charCodeAt(at), 0xdc00, 0xdfff) ? at - 1 : at, 0),
      this.#start,
    )
  }

  /** The character after the run; empty at the end of the text. */
  get after(): string {
    const code = this.#text.codePointAt(this.#end)
    return code === undefined ? '' : String.fromCodePoint(code)
  }

  /** Whether right-to-left text stands near the run. */
  get isRightToLeft(): boolean {
    const before = this.#text.slice(Math.max(this.#start - nearby, 0), this.#start)
    return rightToLeft.test(before) || rightToLeft.test(this.#text.slice(this.#end, this.#end + nearby))
  }
}

/** The kind of a hidden character that must be removed; `undefined` if the text around it needs the character (T17). */
export function hiddenKindOf(
  character: string,
  context: RunContext,
  isFirst: boolean,
): HiddenKind | undefined {
  const code = character.codePointAt(0) ?? 0
  if (code < 0xa0) return 'control characters'
  if (isIn(code, 0x202a, 0x202e) || isIn(code, 0x2066, 0x206f)) return 'direction overrides'
  if (isIn(code, 0xfff9, 0xfffb)) return 'annotation marks'
  if (isIn(code, 0xfe00, 0xfe0f) || isIn(code, 0xe0100, 0xe01ef))
    return isFirst && hasVariant(code, context.before) ? undefined : 'variation selectors'
  if (code >= 0xe0000) return 'tag characters'
  return isNeeded(code, context) ? undefined : 'zero-width characters'
}

/**
 * Whether the character has a variant for this selector. A selector chooses the appearance of the one character before
 * it; anywhere else it can only encode a hidden message.
 */
function hasVariant(selector: number, character: string): boolean {
  if (selector >= 0xe0100) return isIdeograph(character)
  if (selector >= 0xfe0e) return isSymbol(character)
  return selector <= 0xfe06 && (hasForms(character) || (character === '0' && selector === 0xfe00))
}

const isIdeograph = (text: string) => /^\p{Script=Han}/u.test(text)
const isSymbol = (text: string) => /^(?:[0-9#*]|(?![\0-\u00A8])[\p{Emoji}\p{S}])/u.test(text)
const hasForms = (text: string) =>
  /^(?:(?![\0-~])\p{Sm}|[\p{Script=Han}\p{Script=Myanmar}\p{Script=Phags_Pa}\p{Script=Manichaean}\p{Script=Egyptian_Hieroglyphs}\u3001\u3002\uFF01\uFF0C\uFF0E\uFF1A\uFF1B\uFF1F])/u.test(
    text,
  )

/** Whether the script next to the character needs it. Latin, Greek and Cyrillic letters and ASCII digits need none. */
function isNeeded(code: number, context: RunContext): boolean {
  const { before } = context
  switch (code) {
    case 0x200b:
      return hasJoiners.test(before)
    case 0x200c:
      // Persian endings after a foreign word such as `PDF`: the ending must not join the word before it.
      return (
        hasJoiners.test(before) || (arabic.test(context.after) && (!isForeignMark(before) || before === ' '))
      )
    case 0x200d:
      return hasJoiners.test(before) || (isPicture(before) && isPicture(context.after))
    case 0x200e:
    case 0x200f:
    case 0x061c:
      return !(isForeignWord(before) && isForeignWord(context.after)) && context.isRightToLeft
    case 0x115f:
    case 0x1160:
    case 0x3164:
    case 0xffa0:
      return isHangul(before) || isHangul(context.after)
    case 0x17b4:
    case 0x17b5:
      return khmer.test(before)
    default:
      return isIn(code, 0x180b, 0x180f) && mongolian.test(before)
  }
}

/**
 * Scripts whose letters join, or that write no spaces: Arabic and its like, those of India, Tibet and South-East Asia,
 * Mongolian.
 */
const hasJoiners =
  /^[\u0600-\u109F\u1700-\u18AF\u1900-\u1AAF\u1B00-\u1C7F\u1CD0-\u1CFF\uA800-\uA95F\uA980-\uAAFF\uABC0-\uABFF\uFB50-\uFDFF\uFE70-\uFEFC\u{10A00}-\u{11FFF}\u{1E900}-\u{1E95F}]/u
const arabic = /^[\u0620-\u06FF\u0750-\u077F\u08A0-\u08FF]/
/** Whether the character before cannot take an ending: it is neither a letter, a digit nor a closing mark. */
const isForeignMark = (text: string) => !/^[\p{L}\p{N}»"”’)\]]/u.test(text)
const khmer = /^[\u1780-\u17FF]/
const mongolian = /^[\u1800-\u18AF]/
const isHangul = (text: string) => /^\p{Script=Hangul}/u.test(text)
const isPicture = (text: string) => /^[\p{Extended_Pictographic}\p{Emoji_Modifier}]/u.test(text)

/** Hebrew, Arabic and related scripts, without the Arabic letter mark (U+061C), which is invisible itself. */
const rightToLeft =
  /[\u0590-\u061B\u061D-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u
const isForeignWord = (text: string) => /^[\p{L}\p{N}]/u.test(text) && !rightToLeft.test(text)

function isIn(code: number, first: number, last: number): boolean {
  return code >= first && code <= last
}
