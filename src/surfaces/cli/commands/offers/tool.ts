import type { JsonObject, Tool } from '../../../../index.ts'
import { toExample, toSignature } from '../../../../internal.ts'
import { quote } from '../../../terminal/argv.ts'
import { escapeText } from '../../../terminal/escape.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import type { Cli } from '../../command-context.ts'
import { withHost } from '../../with-host.ts'
import { findTool } from './find-tool.ts'
import type { OfferFlags } from './find-offers.ts'

/** Shows one tool: its signature, its description and an example call. */
export async function tool(cli: Cli, flags: OfferFlags, word: string, own?: string): Promise<void> {
  await withHost(
    cli,
    flags,
    async (context) => {
      const { tool: found, view } = await findTool(
        context,
        flags,
        own === undefined ? word : { server: word, tool: own },
      )
      const said = view.instructions().find(({ server }) => server === found.server)?.text
      const [signature, example] = [toSignature(found), toExample(found)]
      const instructions = said === undefined ? {} : { instructions: said }
      context.output.result({ ...described(found), signature, example, ...instructions }, (canvas) =>
        draw(found, said, canvas),
      )
    },
    { brokenFiles: 'fail' },
  )
}

/** A tool with all of its fields: some are computed when they are read. */
export function described(found: Tool): Omit<JsonObject, 'version'> {
  return JSON.parse(JSON.stringify(found)) as JsonObject // a tool is plain JSON
}

function draw(found: Tool, said: string | undefined, { style, proposed }: Canvas): string {
  const { title, description, ref } = found
  const words = [found.name, ...wordsOf(found)].map((word) => quote(word))
  const about = [title, description.trim()].filter((text) => text !== undefined && text !== '')
  const parts = [
    ...about.map((text) => escapeText(text ?? '')),
    `${style.dim('ref')}      ${ref}${marksOf(found)}`,
    `${style.dim('call it')}  ${proposed('plugboard call')} ${words.join(' ')}`,
    ...(said === undefined ? [] : [`${style.dim('server instructions')}\n${escapeText(firstLines(said))}`]),
  ]
  return [style.bold(escapeText(toSignature(found))), ...parts].join('\n\n')
}

const mostLines = 20

function firstLines(text: string): string {
  const lines = text.split('\n')
  if (lines.length <= mostLines) return text
  return [...lines.slice(0, mostLines), `… ${lines.length - mostLines} more lines: --json`].join('\n')
}

/** The behavior hints of the server, which are not verified. */
function marksOf({ annotations }: Tool): string {
  const { readOnlyHint, destructiveHint, idempotentHint } = annotations
  const marks = [
    readOnlyHint === true ? 'read-only' : '',
    destructiveHint === true && readOnlyHint !== true ? 'destructive' : '',
    idempotentHint === true ? 'idempotent' : '',
  ].filter(Boolean)
  return marks.length === 0 ? '' : `  (${marks.join(', ')}, according to its server)`
}

function wordsOf(found: Tool): readonly string[] {
  return Object.entries(toExample(found)).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
}
