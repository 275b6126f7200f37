import type { Style } from '../terminal/style.ts'
import { wrap } from '../terminal/width.ts'

type Row = readonly [usage: string, description: string]

const groups: readonly (readonly [title: string, rows: readonly Row[]])[] = [
  [
    'What you type',
    [
      ['a text', 'goes to the model'],
      ['/…', 'is a command: the line begins with a slash; a blank before the slash sends it to the model'],
      ['@FILE', 'in a text: adds the file, which has to be inside the folder of the conversation'],
      ['Alt-Enter', 'begins a new line in a text; pasted lines stay together'],
    ],
  ],
  [
    'This conversation',
    [
      ['/switch NAME on | off', 'offers the tools of a server, or not'],
      ['/agent [NAME | none]', 'shows the agents, or takes one'],
      ['/model [REF]', 'shows the model, or takes another'],
      ['/cost', 'what was used so far'],
      ['/undo', 'removes your last text and everything after it; calls that ran stay done'],
      ['/export [FILE]', 'writes the conversation to a new Markdown file'],
      ['/leave', 'leaves (also /quit, Ctrl-D); plugboard chat --continue goes on'],
    ],
  ],
  [
    'Servers and tools, as in the shell',
    [
      ['/mcp …', 'list, add, trust, login, restart, reload …: /help COMMAND explains one'],
      ['/tools, /tool NAME', 'what there is; also /search WORDS, /resources, /prompts'],
      ['/NAME key=value …', 'calls a tool yourself; the model does not see the result'],
      ['/SERVER:PROMPT key=value …', 'fills in a prompt of a server, and sends it to the model'],
    ],
  ],
  [
    'While the model works',
    [
      ['Ctrl-C', 'stops it and keeps the conversation; twice leaves'],
      ['typing', 'is kept for your next line'],
    ],
  ],
]

const termWidth = 28

export function drawChatHelp(style: Style, width = 80): string {
  return groups
    .map(([title, rows]) => [style.bold(title), ...rows.flatMap((row) => drawRow(row, width))].join('\n'))
    .join('\n\n')
}

function drawRow([usage, description]: Row, width: number): readonly string[] {
  const lines = wrap(description, Math.max(20, width - termWidth - 2))
  return lines.map((line, at) => `  ${(at === 0 ? usage : '').padEnd(termWidth)}${line}`)
}
