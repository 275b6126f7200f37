import type { Json } from '../../../../index.ts'
import type { Observation, RunnerLine, UsedFolder } from '../../../../internal.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { count } from '../../output/draw.ts'

/** The box of a server, as its entry has it. */
export interface BoxFacts {
  readonly name: string
  /** `null`: it runs without one. */
  readonly runner: Json
  readonly lines: readonly RunnerLine[]
}

export function drawBox({ name, lines }: BoxFacts, { style, proposed }: Canvas): string {
  return [
    style.bold(escapeLine(name)),
    ...lines.map(({ text, isWarning }) => {
      const line = `  ${proposed(escapeLine(text))}`
      return isWarning ? style.yellow(line) : line
    }),
  ].join('\n')
}

interface ObservedFacts extends Omit<Observation, 'runner'> {
  readonly name: string
  readonly tools: number
  readonly call?: { readonly tool: string; readonly failed: boolean }
  readonly runner: Json
}

/** What a run used, and the box for it as a part of an entry. */
export function drawObservation(facts: ObservedFacts, canvas: Canvas): string {
  const { style } = canvas
  const { name, tools, call, read, write, hosts, notes, runner } = facts
  const called = call ? `, and called ${escapeLine(call.tool)}${call.failed ? ', which failed' : ''}` : ''
  return [
    `${style.bold(escapeLine(name))}: ran once, listed ${count(tools, 'tool')}${called}.`,
    '',
    ...drawFolders('reads', read, canvas),
    ...drawFolders('writes', write, canvas),
    ...(hosts.length === 0
      ? [`${style.dim('reaches'.padEnd(8))} nothing`]
      : hosts.map(({ name: host, address, port }) => {
          const place = address.includes(':') ? `[${address}]` : address
          return `${style.dim('reaches'.padEnd(8))} ${escapeLine(host === undefined ? `${place}:${port}` : `${host}:${port} (${place})`)}`
        })),
    ...notes.map((note) => style.yellow(escapeLine(note))),
    '',
    'The smallest box for this run, for its entry. Other calls may need more:',
    '',
    `"runner": ${JSON.stringify(runner, undefined, 2)}`,
  ].join('\n')
}

function drawFolders(
  label: string,
  folders: readonly UsedFolder[],
  { style, path }: Canvas,
): readonly string[] {
  if (folders.length === 0) return [`${style.dim(label.padEnd(8))} none of your folders`]
  return folders.map(
    ({ folder, files }) =>
      `${style.dim(label.padEnd(8))} ${escapeLine(path(folder))} ${style.dim(`(${count(files, 'file')})`)}`,
  )
}
