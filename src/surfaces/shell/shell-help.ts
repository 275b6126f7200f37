import type { Style } from '../terminal/style.ts'
import { wrap } from '../terminal/width.ts'

type Row = readonly [usage: string, does: string]

const groups: readonly (readonly [title: string, rows: readonly Row[]])[] = [
  [
    'Servers (each also without /mcp)',
    [
      ['/mcp list', 'all servers, and how they are doing'],
      ['/mcp status', 'the same with reasons and what to do next'],
      ['/mcp add', 'asks for a new server'],
      ['/mcp add NAME --url URL', 'adds a remote one; --token, --header'],
      ['/mcp add NAME -- CMD …', 'adds a program'],
      ['/mcp remove NAME', 'removes it from its file; also rm'],
      ['/mcp enable | disable NAME', 'switches it on or off'],
      ['/mcp test NAME', 'connects, and shows what it offers'],
      ['/mcp login | logout NAME', 'also reauth and unauth'],
      ['/mcp trust NAME', 'shows what would run, and asks'],
      ['/mcp why NAME', 'where it comes from; or why a tool is seen'],
      ['/mcp logs NAME', 'what it said on stderr'],
      ['/mcp doctor [NAME]', 'everything about it, and what to do next'],
      ['/mcp restart NAME', 'starts it anew'],
      ['/mcp reload', 'reads every config file again'],
    ],
  ],
  [
    'What they offer',
    [
      ['tools [PATTERN]', 'what can be called; search WORDS, tool NAME'],
      ['NAME key=value …', 'calls a tool; also SERVER/TOOL, or with {"json": 1}'],
      ['/SERVER:PROMPT key=value …', 'fills in a prompt; prompts lists them'],
      ['read URI', 'reads a resource; resources lists them'],
    ],
  ],
  [
    'The shell',
    [
      ['Tab', 'completes; Ctrl-R looks for a line typed before'],
      ['Ctrl-C', 'ends the call or question, not the shell'],
      ['/quit', 'leaves, and stops every server; also Ctrl-D'],
    ],
  ],
]

const termWidth = 28

export function drawHelp(style: Style, width = 80): string {
  return groups
    .map(([title, rows]) => [style.bold(title), ...rows.flatMap((row) => drawRow(row, width))].join('\n'))
    .join('\n\n')
}

function drawRow([usage, does]: Row, width: number): readonly string[] {
  const lines = wrap(does, Math.max(20, width - termWidth - 2))
  return lines.map((line, at) => `  ${(at === 0 ? usage : '').padEnd(termWidth)}${line}`)
}
