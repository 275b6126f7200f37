import type { Host } from '../../index.ts'
import type { StoredMessage } from '../../store.ts'
import { escapeLine } from '../terminal/escape.ts'
import { drawMarkdown } from '../terminal/markdown.ts'
import type { MarkdownCanvas } from '../terminal/markdown.ts'
import { wrapPlain, wrapSpans } from '../terminal/painted-lines.ts'
import { drawErrors } from '../shell/follow.ts'
import type { OpenedAgent } from './open-agent.ts'
import { spokenText } from './spoken-text.ts'

type StartCanvas = MarkdownCanvas & { readonly path: (file: string) => string }

/** The first lines: the model, the tools, the conversation, and what needs attention. */
export function drawStart(opened: OpenedAgent, { style, width, path }: StartCanvas): readonly string[] {
  const { agent, host, isDemo, resumed, notes } = opened
  const { conversation, model } = agent
  const role = conversation.agent === undefined ? '' : ` · agent "${conversation.agent}"`
  const name = isDemo ? `${model.name}, which only matches words to tools` : model.name
  const which = resumed ? `goes on, ${resumed.length} messages` : 'new'
  const dim = (text: string) => wrapPlain(text, width).map(style.dim)
  return [
    ...wrapSpans([{ text: 'Plugboard chat', paint: style.bold }, { text: ` · ${name}${role}` }], width),
    ...dim(`${countTools(host)} · conversation ${conversation.id.slice(0, 8)} (${which})`),
    ...dim('/help shows what you can type. Ctrl-C stops a turn, Ctrl-D leaves.'),
    ...notes.flatMap((note) =>
      wrapPlain(note.replace(opened.cwd, path(opened.cwd)), width).map(style.yellow),
    ),
    ...untrustedNote(host).flatMap((note) => wrapPlain(note, width).map(style.yellow)),
    ...drawErrors(host.discovery).flatMap((problem) => wrapPlain(problem, width).map(style.red)),
    '',
  ]
}

const mostNamed = 4

function countTools(host: Pick<Host, 'tools' | 'servers'>): string {
  const tools = host.tools()
  const servers = host
    .servers()
    .filter(({ status }) => status.state !== 'disabled' && status.state !== 'untrusted')
  if (servers.length === 0) return 'no servers yet: /mcp add'
  const names = servers.slice(0, mostNamed).map(({ name }) => escapeLine(name))
  const others = servers.length - names.length
  const list = others > 0 ? `${names.join(', ')} and ${others} more` : names.join(', ')
  if (tools.length === 0) return `servers: ${list}`
  return `${tools.length} tool${tools.length === 1 ? '' : 's'} of ${list}`
}

function untrustedNote(host: Pick<Host, 'servers'>): readonly string[] {
  const names = host
    .servers()
    .flatMap(({ name, status }) => (status.state === 'untrusted' ? [escapeLine(name)] : []))
  if (names.length === 0) return []
  const which =
    names.length === 1
      ? `"${names[0]}" is declared by this project and`
      : `${names.join(', ')} are declared by this project and`
  return [`${which} not started before you trust it: /mcp trust ${names.length === 1 ? names[0] : 'NAME'}`]
}

const lastLines = 12

/** The last text of the person and the end of the last answer. */
export function drawLastTurn(messages: readonly StoredMessage[], canvas: MarkdownCanvas): readonly string[] {
  const { style, width } = canvas
  const asked = messages.findLast(({ role }) => role === 'user')
  const answered = messages.findLast((message) => message.role === 'assistant' && spokenText(message) !== '')
  const question = asked ? wrapPlain(spokenText(asked), width - 2) : []
  const answer =
    answered && (!asked || answered.seq > asked.seq) ? drawMarkdown(spokenText(answered), canvas) : []
  const cut = answer.length > lastLines ? [style.dim('…'), ...answer.slice(-lastLines)] : answer
  return [
    ...question.slice(0, lastLines).map((line, at) => style.dim(`${at === 0 ? '› ' : '  '}${line}`)),
    ...(question.length > lastLines ? [style.dim('  …')] : []),
    ...(cut.length > 0 ? ['', ...cut] : []),
    '',
  ]
}
