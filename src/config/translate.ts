import { parseTemplate } from '../sources/template.ts'
import type { Part, ValueRules } from '../sources/template.ts'

/** A value of one owner in another owner's way of writing; nothing if the other has none for it. */
export function translateValue(text: string, from: ValueRules, to: ValueRules): string | undefined {
  let translated = ''
  for (const part of parseTemplate(text, from)) {
    const written = writePart(part, to)
    if (written === undefined) return undefined
    translated += written
  }
  return translated
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
      return undefined
  }
}

function writeVariable({ name, fallback }: Part & { kind: 'env' }, to: ValueRules): string | undefined {
  const writes = (syntax: ValueRules['syntaxes'][number]) => to.syntaxes.includes(syntax)
  if (writes('braces')) return fallback === undefined ? `\${${name}}` : `\${${name}:-${fallback}}`
  if (fallback !== undefined) return writes('alternatives') ? `\${env:${name} | value:${fallback}}` : undefined
  if (writes('env-colon') || writes('alternatives')) return `\${env:${name}}`
  if (writes('opencode')) return `{env:${name}}`
  if (writes('dollar-env')) return `$env:${name}`
  return writes('bare') ? `$${name}` : undefined
}
