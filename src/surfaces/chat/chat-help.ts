import type { Style } from '../terminal/style.ts'
import { drawGroups, drawRow } from '../shell/shell-help.ts'
import type { HelpGroup } from '../shell/shell-help.ts'

const groups: readonly HelpGroup[] = [
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
      ['/help [COMMAND]', 'shows this, or explains one command'],
      ['/leave', 'leaves (also /quit, Ctrl-D); plugboard chat --continue goes on'],
    ],
  ],
  [
    'Servers and tools, as in the shell',
    [
      ['/mcp …', 'list, add, trust, login, restart, reload …: /help COMMAND explains one'],
      ['/tools, /tool NAME', 'what there is; also /search WORDS, /resources, /prompts, /skills'],
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

/** @param about The name of a command of the chat: only its line is shown. */
export function drawChatHelp(style: Style, width?: number, about = ''): string {
  if (about === '') return drawGroups(groups, style, width)
  const rows = groups.flatMap(([, each]) => each)
  const found = rows.filter(([usage]) => usage.split(' ', 1)[0] === `/${about}`)
  return found.flatMap((row) => drawRow(row, width)).join('\n')
}
