import { finishAgent, joinReadings, noAgents, onlyDiagnostic } from './agent-draft.ts'
import type { AgentReading } from './agent-draft.ts'
import { isDashes, isKeyLine, readFields, textOf, toLines } from './agent-fields.ts'
import type { Field, Line, ListProblem } from './agent-fields.ts'
import { readToolList, withoutComment } from './agent-tool-list.ts'
import type { FilePlace } from '../source.ts'

/** No person writes more into one file; each agent has a policy of its own, which costs time and memory. */
const maxAgents = 200

/** `AGENTS.md`: a section with its own `tools:` or front matter is an agent; any other section is not (B12). */
export function readAgentsMarkdown(text: string, place: FilePlace): AgentReading {
  const { sections, nameless } = readSections(toLines(text))
  const top = sections[1]?.heading
  const unread = nameless.map((line) =>
    onlyDiagnostic('missing-key', 'This front matter has no name, so it describes no agent.', place, line),
  )
  let count = 0
  return joinReadings([
    ...unread,
    ...sections.map(({ heading, line, agent }, index) => {
      // Front matter at the top of the file may be unrelated to agents.
      const isAgent = index > 0 || agent?.name !== undefined || agent?.tools || agent?.problem
      if (!agent || !isAgent || ++count > maxAgents + 1) return noAgents
      if (count > maxAgents)
        return onlyDiagnostic(
          'unreadable-file',
          `It describes more than ${maxAgents} agents; agents from here on are not read.`,
          place,
          line,
        )
      const name = agent.name ?? (heading || (agent.hasFrontMatter ? top : undefined))
      if (!name)
        return onlyDiagnostic(
          'missing-key',
          'This list of tools belongs to no agent: no heading or name precedes it.',
          place,
          line,
        )
      const list = agent.problem ?? (agent.tools ? readToolList(agent.tools) : {})
      const lists = 'items' in list ? { tools: list.items } : list
      return finishAgent({ place, name, line, description: agent.description }, lists)
    }),
  ])
}

/** A part of a Markdown file that may be an agent. */
interface Section {
  readonly heading: string
  readonly line: number
  /** Absent for a section that is not an agent. */
  readonly agent?: SectionAgent
}

interface SectionAgent {
  readonly hasFrontMatter: boolean
  readonly name?: string
  readonly description?: string
  readonly tools?: Field
  readonly problem?: ListProblem
}

/** The sections of an `AGENTS.md`. Text before the first heading is the first section, with an empty heading. */
function readSections(lines: readonly Line[]): {
  readonly sections: readonly Section[]
  /** Lines of front matter that belongs to no agent. */
  readonly nameless: readonly number[]
} {
  const sections: { heading: string; line: number; front?: readonly Line[]; body: Line[] }[] = []
  const nameless: number[] = []
  const isHiddenLine = createHiddenLineTest()
  let index = 0
  const open = (heading: string, line: number, next: number) => {
    const front = frontMatterAt(lines, next)
    sections.push({ heading, line, body: [], ...(front && { front: front.lines }) })
    index = front?.end ?? next
  }
  open('', 1, 0)
  while (index < lines.length) {
    const line = lines[index]
    if (!line) break
    const isHidden = isHiddenLine(line.text)
    const heading = isHidden ? undefined : headingAt(lines, index)
    const isBlock = (key: string) => !isHidden && isFrontMatterWith(key, lines, index)
    if (isBlock('description') && !isBlock('name')) nameless.push(line.line)
    if (isBlock('name')) open('', line.line, index)
    else if (heading) open(heading.text, line.line, index + heading.lines)
    else {
      sections.at(-1)?.body.push(isHidden ? { ...line, text: '' } : line)
      index++
    }
  }
  const read = sections.map(({ heading, line, front, body }) => {
    const agent = agentIn(front, body)
    return { heading, line, ...(agent && { agent }) }
  })
  return { sections: read, nameless }
}

/** Reads an agent from front matter or from a line that begins with `tools:`. Prose about tools is neither. */
function agentIn(front: readonly Line[] | undefined, body: readonly Line[]): SectionAgent | undefined {
  const loose = body.flatMap(({ text }, index) => (/^tools[ \t]*:(?=[ \t[]|$)/.test(text) ? [index] : []))
  const [first, second] = loose
  if (!front && first === undefined) return undefined
  const { fields, problem } = front ? readFields(front) : looseFields(body, first ?? 0)
  const tools = fields.get('tools')
  const again = front && tools ? first : second
  const name = textOf(fields.get('name'))
  const description = textOf(fields.get('description'))
  const list = tools ?? (first === undefined ? undefined : looseFields(body, first).fields.get('tools'))
  const listProblem =
    problem ??
    (again === undefined ? undefined : { problem: 'this is a second list', line: body[again]?.line ?? 1 })
  return {
    hasFrontMatter: front !== undefined,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(list && { tools: list }),
    ...(listProblem && { problem: listProblem }),
  }
}

/** The `tools:` line with the lines of its paragraph that continue it, and a `description:` in the same paragraph. */
function looseFields(body: readonly Line[], at: number): ReturnType<typeof readFields> {
  const line = body[at]
  if (!line) return { fields: new Map() }
  const value = line.text.slice(line.text.indexOf(':') + 1).trim()
  const rest = untilBlank(body.slice(at + 1))
  const fields = new Map([['tools', { value, line: line.line, below: belowLoose(value, rest) }]])
  const before = untilBlank(body.slice(0, at).reverse())
  const descriptionLine = [...before, ...rest].find(({ text }) => /^description[ \t]*:[ \t]/.test(text))
  if (descriptionLine) {
    const text = descriptionLine.text.slice(descriptionLine.text.indexOf(':') + 1).trim()
    fields.set('description', { value: text, line: descriptionLine.line, below: [] })
  }
  return { fields }
}

function belowLoose(value: string, rest: readonly Line[]): readonly Line[] {
  const own = withoutComment(value)
  if (own.startsWith('[') && !own.endsWith(']')) {
    const end = rest.findIndex(({ text }) => withoutComment(text).endsWith(']'))
    return end < 0 ? rest : rest.slice(0, end + 1)
  }
  if (own.startsWith('[')) return []
  const belongs = own === '' ? /^[ \t]*(?:-[ \t]|#)|^[ \t]+\S/ : /^[ \t]+\S/
  const end = rest.findIndex(({ text }) => !belongs.test(text))
  return end < 0 ? rest : rest.slice(0, end)
}

function untilBlank(lines: readonly Line[]): readonly Line[] {
  const end = lines.findIndex(({ text }) => text.trim() === '')
  return end < 0 ? lines : lines.slice(0, end)
}

/** Front matter (`---` lines with keys between them) directly below a heading or at the top of the file. */
function frontMatterAt(lines: readonly Line[], from: number) {
  let start = from
  while (lines[start]?.text.trim() === '') start++
  if (!isDashes(lines[start])) return undefined
  let end = start + 1
  while (end < lines.length && !isDashes(lines[end])) end++
  const inside = end < lines.length ? lines.slice(start + 1, end) : []
  const first = inside.find(({ text }) => text.trim() !== '' && !text.trimStart().startsWith('#'))
  const isFront =
    first !== undefined && /^\s*(?:["'{?<&!]|[A-Za-z_][\w.-]*[ \t]*:(?:[ \t]|$))/.test(first.text)
  return isFront ? { lines: inside, end: end + 1 } : undefined
}

/** Front matter with a certain key. One with a `name` starts another agent, also without a heading. */
function isFrontMatterWith(key: string, lines: readonly Line[], index: number): boolean {
  if (!isDashes(lines[index])) return false
  const isKey = (text: string) => text.startsWith(key) && /^[ \t]*:[ \t]*\S/.test(text.slice(key.length))
  return frontMatterAt(lines, index)?.lines.some(({ text }) => isKey(text)) ?? false
}

/** `## Name`, or a name with an underline. */
function headingAt(lines: readonly Line[], index: number) {
  const text = lines[index]?.text ?? ''
  const marks = /^ {0,3}#{1,6}(?=[ \t]|$)/.exec(text)
  if (marks) return { text: toName(text.slice(marks[0].length)), lines: 1 }
  const isText = /^[^\s>|#*+~`-]/.test(text) && !isKeyLine(text)
  const isLine =
    /^(?:={2,}|-{2,})[ \t]*$/.test(lines[index + 1]?.text ?? '') &&
    !isFrontMatterWith('name', lines, index + 1)
  return isText && isLine ? { text: toName(text), lines: 2 } : undefined
}

const maxName = 200

function toName(text: string): string {
  const name = text
    .slice(0, maxName)
    .trim()
    .replace(/[ \t]#+$/, '')
    .trim()
  return name
    .replace(/^[*_`]+/, '')
    .replace(/[*_`]+$/, '')
    .trim()
}

/** Tells whether a line is in a code block or a comment. Must be called with every line from the top of the file. */
function createHiddenLineTest(): (text: string) => boolean {
  let fence = ''
  let inComment = false
  return (text) => {
    if (inComment) {
      inComment = !text.includes('-->')
      return true
    }
    const marks = /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1] ?? ''
    if (fence !== '') {
      if (marks.startsWith(fence) && text.trim() === marks) fence = ''
      return true
    }
    fence = marks
    inComment = /^\s*<!--/.test(text) && !text.includes('-->')
    return fence !== '' || inComment
  }
}
