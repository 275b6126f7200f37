import { finishAgent, joinReadings, noAgents, onlyDiagnostic } from './agent-draft.ts'
import type { AgentReading } from './agent-draft.ts'
import { isDashes, isKeyLine, joinLines, readFields, textOf, toLines } from './agent-fields.ts'
import type { Field, Fields, Line, ListProblem } from './agent-fields.ts'
import { modelIn } from './agent-prompt.ts'
import { readToolList, withoutComment } from './agent-tool-list.ts'
import type { FilePlace } from '../source.ts'

/** No person writes more into one file; each agent has a policy of its own, which costs time and memory. */
const maxAgents = 200

/** `AGENTS.md`: a section with its own `tools:` or front matter is an agent; any other section is not (B12). */
export function readAgentsMarkdown(text: string, place: FilePlace): AgentReading {
  const lines = toLines(text)
  const { sections, nameless } = readSections(lines)
  const top = sections[1]?.heading
  const unread = nameless.map((line) =>
    onlyDiagnostic('missing-key', 'This front matter has no name, so it describes no agent.', place, line),
  )
  let count = 0
  return joinReadings([
    ...unread,
    ...sections.map(({ heading, line, agent }, index) => {
      if (!agent || !isAgent(sections, index) || ++count > maxAgents + 1) return noAgents
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
      const { description, model } = agent
      const prompt = promptOf(sections, index, lines)
      return finishAgent({ place, name, line, description, prompt, model }, lists)
    }),
  ])
}

/** Front matter at the top of the file may be unrelated to agents. */
function isAgent(sections: readonly Section[], index: number): boolean {
  const agent = sections[index]?.agent
  if (!agent) return false
  return index > 0 || agent.name !== undefined || agent.tools !== undefined || agent.problem !== undefined
}

/** The text of an agent's section and of the sections below it, up to the next agent, without the lines of its fields. */
function promptOf(sections: readonly Section[], index: number, lines: readonly Line[]): string {
  const own = sections[index]
  if (!own) return ''
  const end = sections.find(
    ({ level }, at) => at > index && (isAgent(sections, at) || (level > 0 && level <= own.level)),
  )
  const fieldLines = new Set(own.agent?.fieldLines)
  return joinLines(
    lines.slice(own.start, end ? end.line - 1 : lines.length).filter(({ line }) => !fieldLines.has(line)),
  )
}

/** A part of a Markdown file that may be an agent. */
interface Section {
  readonly heading: string
  /** 1 to 6; 0 without a heading. */
  readonly level: number
  readonly line: number
  /** The index of the first line below the heading and the front matter. */
  readonly start: number
  /** Absent for a section that is not an agent. */
  readonly agent?: SectionAgent
}

interface SectionAgent {
  readonly hasFrontMatter: boolean
  readonly name?: string
  readonly description?: string
  readonly model?: string
  /** The lines of fields that are not in front matter. */
  readonly fieldLines: readonly number[]
  readonly tools?: Field
  readonly problem?: ListProblem
}

/** The sections of an `AGENTS.md`. Text before the first heading is the first section, with an empty heading. */
function readSections(lines: readonly Line[]): {
  readonly sections: readonly Section[]
  /** Lines of front matter that belongs to no agent. */
  readonly nameless: readonly number[]
} {
  const sections: (Omit<Section, 'agent'> & { readonly front?: readonly Line[]; readonly body: Line[] })[] =
    []
  const nameless: number[] = []
  const isHiddenLine = createHiddenLineTest()
  let index = 0
  const open = (heading: string, level: number, line: number, next: number) => {
    const front = frontMatterAt(lines, next)
    index = front?.end ?? next
    sections.push({ heading, level, line, start: index, body: [], ...(front && { front: front.lines }) })
  }
  open('', 0, 1, 0)
  while (index < lines.length) {
    const line = lines[index]
    if (!line) break
    const isHidden = isHiddenLine(line.text)
    const heading = isHidden ? undefined : headingAt(lines, index)
    const isBlock = (key: string) => !isHidden && isFrontMatterWith(key, lines, index)
    if (isBlock('description') && !isBlock('name')) nameless.push(line.line)
    if (isBlock('name')) open('', 0, line.line, index)
    else if (heading) open(heading.text, heading.level, line.line, index + heading.lines)
    else {
      sections.at(-1)?.body.push(isHidden ? { ...line, text: '' } : line)
      index++
    }
  }
  const read = sections.map(({ front, body, ...section }) => {
    const agent = agentIn(front, body)
    return { ...section, ...(agent && { agent }) }
  })
  return { sections: read, nameless }
}

/** Reads an agent from front matter or from a line that begins with `tools:`. Prose about tools is neither. */
function agentIn(front: readonly Line[] | undefined, body: readonly Line[]): SectionAgent | undefined {
  const listed = body.flatMap(({ text }, index) => (/^tools[ \t]*:(?=[ \t[]|$)/.test(text) ? [index] : []))
  const [first, second] = listed
  if (!front && first === undefined) return undefined
  const { fields, problem }: Fields = front ? readFields(front) : { fields: looseFields(body, first ?? 0) }
  const tools = fields.get('tools')
  const again = front && tools ? first : second
  const name = textOf(fields.get('name'))
  const description = textOf(fields.get('description'))
  const model = modelIn(fields.get('model'))
  const loose = first === undefined ? new Map<string, Field>() : looseFields(body, first)
  const list = tools ?? loose.get('tools')
  const listProblem =
    problem ??
    (again === undefined ? undefined : { problem: 'this is a second list', line: body[again]?.line ?? 1 })
  return {
    hasFrontMatter: front !== undefined,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(model !== undefined && { model }),
    fieldLines: [...loose.values()].flatMap(({ line, below }) => [line, ...below.map((each) => each.line)]),
    ...(list && { tools: list }),
    ...(listProblem && { problem: listProblem }),
  }
}

/** The `tools:` line with the lines of its paragraph that continue it; `description:` and `model:` of the same paragraph. */
function looseFields(body: readonly Line[], at: number): ReadonlyMap<string, Field> {
  const line = body[at]
  if (!line) return new Map()
  const value = line.text.slice(line.text.indexOf(':') + 1).trim()
  const rest = untilBlank(body.slice(at + 1))
  const tools: Field = { value, line: line.line, below: belowLoose(value, rest) }
  const fields = new Map([['tools', tools]])
  const before = untilBlank(body.slice(0, at).reverse())
  for (const each of [...before, ...rest]) {
    const [, name, own] = /^(description|model)[ \t]*:[ \t]+(.*)$/.exec(each.text) ?? []
    if (name === undefined || own === undefined || fields.has(name)) continue
    fields.set(name, { value: own.trim(), line: each.line, below: [] })
  }
  return fields
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
  if (marks) return { text: toName(text.slice(marks[0].length)), level: marks[0].trim().length, lines: 1 }
  const isText = /^[^\s>|#*+~`-]/.test(text) && !isKeyLine(text)
  const below = lines[index + 1]?.text ?? ''
  const isLine = /^(?:={2,}|-{2,})[ \t]*$/.test(below) && !isFrontMatterWith('name', lines, index + 1)
  return isText && isLine ? { text: toName(text), level: below.startsWith('=') ? 1 : 2, lines: 2 } : undefined
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
