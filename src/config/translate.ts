import { parseTemplate } from '../sources/template.ts'
import type { Part, ValueRules } from '../sources/template.ts'

/** What a person answered for the inputs of a server, by id. */
export type Answers = Readonly<Record<string, string | readonly string[]>>

/** A value of one owner in another owner's way of writing; nothing if the other has none for it. */
export function translateValue(
  text: string,
  from: ValueRules,
  to: ValueRules,
  answers: Answers = {},
): string | undefined {
  let translated = ''
  for (const part of parseTemplate(text, from)) {
    const written = answerTo(part, from, answers) ?? writePart(part, to)
    if (written === undefined) return undefined
    translated += written
  }
  return translated
}

/** A list where the whole value is an input with several answers: it becomes several arguments. */
export function answersTo(text: string, from: ValueRules, answers: Answers): readonly string[] | undefined {
  const [part, ...more] = parseTemplate(text, from)
  if (part?.kind !== 'input' || more.length > 0 || !Object.hasOwn(answers, part.id)) return undefined
  const answer = answers[part.id]
  return typeof answer === 'string' ? undefined : answer
}

/** Inputs a person answered, and names that only the declaration's own place knows. */
function answerTo(part: Part, from: ValueRules, answers: Answers): string | undefined {
  if (part.kind === 'name') return from.names?.[part.name]
  if (part.kind !== 'input' || !Object.hasOwn(answers, part.id)) return undefined
  const answer = answers[part.id]
  return typeof answer === 'string' ? answer : answer?.join(',')
}

function writePart(part: Part, to: ValueRules): string | undefined {
  const writes = (syntax: ValueRules['syntaxes'][number]) => to.syntaxes.includes(syntax)
  switch (part.kind) {
    case 'text':
      return part.text
    case 'literal':
      return part.value
    case 'env':
      return writeVariable(part, to)
    case 'input':
      return writes('input') ? `\${input:${part.id}}` : undefined
    case 'file':
      if (writes('opencode')) return `{file:${part.path}}`
      return writes('file-colon') ? `\${file:${part.path}}` : undefined
    case 'command':
      if (writes('bang')) return `!${part.command}`
      return writes('shell') ? `$(${part.command})` : undefined
    case 'keychain':
      return writes('keychain') ? part.text : undefined
    case 'name':
      return writes('editor') ? part.text : undefined
    case 'secret':
    case 'scheme':
      break
  }
  return undefined
}

function writeVariable({ name, fallback }: Part & { kind: 'env' }, to: ValueRules): string | undefined {
  const writes = (syntax: ValueRules['syntaxes'][number]) => to.syntaxes.includes(syntax)
  if (writes('braces')) return fallback === undefined ? `\${${name}}` : `\${${name}:-${fallback}}`
  if (fallback !== undefined)
    return writes('alternatives') ? `\${env:${name} | value:${fallback}}` : undefined
  if (writes('env-colon') || writes('alternatives')) return `\${env:${name}}`
  if (writes('opencode')) return `{env:${name}}`
  if (writes('dollar-env')) return `$env:${name}`
  return writes('bare') ? `$${name}` : undefined
}
