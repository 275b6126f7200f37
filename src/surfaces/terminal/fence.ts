/** The text as a code block of Markdown. Its fences are longer than any in the text, so that the text cannot end it. */
export function fence(text: string, language = ''): string {
  const longest = [...text.matchAll(/`{3,}/g)].reduce((most, [ticks]) => Math.max(most, ticks.length), 2)
  const marks = '`'.repeat(longest + 1)
  return `${marks}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${marks}`
}
