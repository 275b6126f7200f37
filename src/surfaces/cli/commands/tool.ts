import { toExample, toSignature } from '../../../index.ts'
import type { Tool } from '../../../index.ts'
import { quote } from '../../terminal/argv.ts'
import { escapeText } from '../../terminal/escape.ts'
import type { Canvas } from '../../terminal/output.ts'
import type { Cli } from '../context.ts'
import { findTool } from '../known.ts'
import type { ViewFlags } from '../known.ts'
import { withHost } from '../with-host.ts'

/** One tool: what it takes, what its server says of it, and how it could be called. */
export async function tool(cli: Cli, flags: ViewFlags, word: string): Promise<void> {
  await withHost(cli, flags, async (opened) => {
    const { tool: found } = await findTool(opened, flags, word)
    const [signature, example] = [toSignature(found), toExample(found)]
    if (flags.json) opened.output.result({ ...described(found), signature, example }, () => '')
    else opened.output.result(found, (_found, canvas) => draw(found, canvas))
  })
}

function described(found: Tool): object {
  return JSON.parse(JSON.stringify(found)) as object // a tool is plain JSON
}

function draw(found: Tool, { style }: Canvas): string {
  const { title, description, ref } = found
  const about = [title, description.trim()].filter((text) => text !== undefined && text !== '')
  const parts = [
    ...about.map((text) => escapeText(text ?? '')),
    `${style.dim('ref')}      ${ref}${marksOf(found)}`,
    `${style.dim('call it')}  plugboard call ${[found.name, ...wordsOf(found)].map((word) => quote(word)).join(' ')}`,
  ]
  return [style.bold(escapeText(toSignature(found))), ...parts].join('\n\n')
}

/** What the server says about how it behaves; its own word. */
function marksOf({ annotations }: Tool): string {
  const { readOnlyHint, destructiveHint, idempotentHint } = annotations
  const marks = [
    readOnlyHint === true ? 'only reads' : '',
    destructiveHint === true && readOnlyHint !== true ? 'may destroy' : '',
    idempotentHint === true ? 'may be repeated' : '',
  ].filter(Boolean)
  return marks.length === 0 ? '' : `  (${marks.join(', ')}, says its server)`
}

function wordsOf(found: Tool): readonly string[] {
  return Object.entries(toExample(found)).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
}
