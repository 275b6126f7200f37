/**
 * Characters that a reader of source code cannot see, or that change the order in which it is shown: controls, line and
 * paragraph separators, lone surrogates, private code points, and everything ignorable. Unassigned code points are none of
 * them: which ones are differs between versions of Node, and the code must not.
 */
const unseen =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
const everyUnseen = new RegExp(unseen, 'gu')

/**
 * A string literal for JavaScript and TypeScript. Everything that could end it, hide in it or be found in it by a tool
 * that searches the text (`//# sourceMappingURL`, `</script>`) is a `\u` escape.
 */
export function toLiteral(text: string): string {
  return JSON.stringify(text)
    .replace(everyUnseen, toEscapes)
    .replaceAll(/(?<=[/*])[#@]|[#@](?=__)|<(?=[/!])/g, toEscapes)
}

function toEscapes(characters: string): string {
  return Array.from(
    { length: characters.length },
    (_, at) => `\\u${characters.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')
}

/** Limits of one comment: a server's texts must not make up the file. */
const commentLimits = { lines: 40, characters: 3000 } as const

/** A JSDoc comment with these paragraphs; no lines if they are all empty. The last ones may be tags of our own. */
export function toDocComment(paragraphs: readonly string[], tags: readonly string[] = []): readonly string[] {
  const texts = paragraphs.map(toCommentLines).filter((lines) => lines.length > 0)
  const lines = texts.flatMap((each, at) => (at === 0 ? each : ['', ...each]))
  const all = [...lines, ...(lines.length > 0 && tags.length > 0 ? [''] : []), ...tags]
  if (all.length === 0) return []
  if (all.length === 1) return [`/** ${all[0]} */`]
  return ['/**', ...all.map((line) => (line === '' ? ' *' : ` * ${line}`)), ' */']
}

/** The lines of an untrusted text inside a block comment: they end neither the comment nor start a tag or a directive. */
function toCommentLines(text: string): readonly string[] {
  const isCut = text.length > commentLimits.characters
  const lines = text
    .slice(0, commentLimits.characters)
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => toCommentText(line).trimEnd())
  while (lines[0] === '') lines.shift()
  while (lines.at(-1) === '') lines.pop()
  const shown = lines.filter((line, at) => line !== '' || lines[at - 1] !== '').slice(0, commentLimits.lines)
  return isCut || shown.length < lines.length - countBlankRuns(lines) ? [...shown, '…'] : shown
}

/** Blank lines that follow a blank line, which are not shown. */
function countBlankRuns(lines: readonly string[]): number {
  return lines.filter((line, at) => line === '' && lines[at - 1] === '').length
}

/** One line of untrusted text for a comment. A backslash before `@` keeps it from being a tag or `@ts-ignore`. */
export function toCommentText(line: string): string {
  return (
    line
      .replaceAll('\t', ' ')
      .replace(everyUnseen, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
      .replaceAll('*/', '*\\/')
      .replaceAll(/(?<![\w.+-])@/g, '\\@')
      // `/#`, `*#` and `#__` begin directives: source maps, and annotations of bundlers such as `#__PURE__`.
      .replaceAll(/(?<=[/*])[#!]|(?<=[#@])__/g, ' $&')
  )
}
