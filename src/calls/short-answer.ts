const maxLength = 40
const visible = /^[\x20-\x7e\n]*$/
const twoWords = /^[^a-z]*(?:[a-z]+[^a-z]*){0,2}$/i

/**
 * Whether a text is at most two words of plain characters, such as `done` or `42 files`. It is too short to tell a model what to
 * do, so it is not scanned: loading the scanner takes longer than a whole short command.
 */
export function isShortAnswer(text: string): boolean {
  return text.length <= maxLength && visible.test(text) && twoWords.test(text)
}
