import type { Style } from '../terminal/style.ts'
import { wrap } from '../terminal/width.ts'

export type HelpRow = readonly [usage: string, description: string]
export type HelpGroup = readonly [title: string, rows: readonly HelpRow[]]

const groups: readonly HelpGroup[] = [
  [
    'Servers (each also without /mcp)',
    [
      ['/mcp list', 'all servers and their state; with NAME, its tools'],
      ['/mcp status', 'the same with reasons and the next step'],
      ['/mcp add', 'adds a server step by step'],
      ['/mcp add NAME --url URL', 'adds a remote server; --token, --header'],
      ['/mcp add NAME -- CMD …', 'adds a program'],
      ['/mcp remove NAME', 'removes it from its file (also rm)'],
      ['/mcp enable | disable NAME', 'switches it on or off'],
      ['/switch NAME on | off', 'the same for this shell only; says what it weighs'],
      ['/mcp test NAME', 'connects, and shows what it offers'],
      ['/mcp login | logout NAME', 'logs in or out (also reauth, unauth)'],
      ['/mcp trust NAME', 'shows what would run, and asks'],
      ['/mcp review [NAME]', 'what changed since it was accepted: accept or reject it'],
      ['/mcp why NAME', 'where it comes from; for a tool, why it is offered'],
      ['/mcp logs NAME', 'its output on stderr'],
      ['/mcp doctor [NAME]', 'what is wrong, and what to do next'],
      ['/mcp restart | stop NAME', 'restarts it, or stops it until the next call'],
      ['/mcp reload', 'reads every config file again'],
    ],
  ],
  [
    'What they offer',
    [
      ['tools [PATTERN]', 'lists tools; also search WORDS, tool NAME'],
      ['NAME key=value …', 'calls a tool; also SERVER TOOL, server.tool(key: "value"), or with {"json": 1}'],
      ['/SERVER:PROMPT key=value …', 'fills in a prompt; prompts lists them'],
      ['read URI', 'reads a resource; resources lists them'],
      ['skills', 'lists the skills of servers; skills show NAME reads one'],
    ],
  ],
  [
    'The shell',
    [
      ['Tab', 'completes; Ctrl-R searches the history'],
      ['questions', 'what other terminals ask you; answer ID answers'],
      ['Ctrl-C', 'cancels the call or question, not the shell'],
      ['/quit', 'exits, and stops every server (also Ctrl-D)'],
    ],
  ],
]

const termWidth = 28

export function drawHelp(style: Style, width?: number): string {
  return drawGroups(groups, style, width)
}

export function drawGroups(all: readonly HelpGroup[], style: Style, width = 80): string {
  return all
    .map(([title, rows]) => [style.bold(title), ...rows.flatMap((row) => drawRow(row, width))].join('\n'))
    .join('\n\n')
}

export function drawRow([usage, description]: HelpRow, width = 80): readonly string[] {
  const lines = wrap(description, Math.max(20, width - termWidth - 2))
  return lines.map((line, at) => `  ${(at === 0 ? usage : '').padEnd(termWidth)}${line}`)
}
