import { createHash } from 'node:crypto'

/** How tools are called before models (D-6). */
export type NamingScheme = 'double' | 'single' | 'mcp' | 'omp' | 'claude'

export interface Named {
  readonly server: string
  readonly tool: string
}

/** Two tools that would have had the same name. */
export interface Clash {
  readonly name: string
  /** Keeps the name; `native` is the embedder's own tool. */
  readonly kept: Named | 'native'
  readonly renamed: Named
}

/** What providers accept. */
const maxLength = 64

const schemes: Readonly<Record<NamingScheme, (server: string, tool: string) => string>> = {
  double: (server, tool) => `${distinct(server)}__${clean(tool)}`,
  claude: (server, tool) => `mcp__${distinct(server)}__${clean(tool)}`,
  single: (server, tool) => `${clean(server)}_${clean(tool)}`,
  mcp: (server, tool) => lowered(server, tool, /[^a-z0-9_]/g),
  // O13 to the letter: digits are lost.
  omp: (server, tool) => lowered(server, tool, /[^a-z_]/g),
}

/**
 * The name of every tool, in the order of the tools. What a tool is called never depends on who came first: of those
 * that clash, the first by server and tool keeps the name, and the others carry a mark made of their own.
 */
export function nameTools<T extends Named>(
  tools: readonly T[],
  scheme: NamingScheme,
  native: ReadonlySet<string> = new Set(),
): { readonly names: readonly string[]; readonly clashes: readonly Clash[] } {
  const make = schemes[scheme]
  const names = tools.map(({ server, tool }) => fit(make(server, tool), server, tool))
  const holders = new Map<string, number>()
  const clashes: Clash[] = []
  const rename = (index: number, kept: Named | 'native') => {
    const [name, renamed] = [names[index], tools[index]]
    if (name === undefined || !renamed) return
    clashes.push({ name, kept, renamed })
    names[index] = marked(name, renamed.server, renamed.tool)
  }
  names.forEach((name, index) => {
    const holder = holders.get(name)
    const [tool, other] = [tools[index], holder === undefined ? undefined : tools[holder]]
    if (native.has(name)) return rename(index, 'native')
    if (holder === undefined || !other || !tool) return void holders.set(name, index)
    if (!isBefore(tool, other)) return rename(index, other)
    rename(holder, tool)
    holders.set(name, index)
  })
  return { names, clashes }
}

function isBefore(a: Named, b: Named): boolean {
  return a.server === b.server ? a.tool < b.tool : a.server < b.server
}

/** Case, digits and hyphens stay; what no provider takes becomes `_`. */
function clean(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, '_')
}

/** A server's part of the name, which no other server can have: marked where cleaning or the separator would blur it. */
function distinct(server: string): string {
  const cleaned = clean(server)
  const isBlurred = cleaned !== server || cleaned.includes('__') || cleaned.endsWith('_')
  return isBlurred ? `${cleaned.replace(/_+/g, '_').replace(/_$/, '')}_${mark(server).slice(0, 4)}` : cleaned
}

function lowered(server: string, tool: string, unwanted: RegExp): string {
  const fold = (text: string) => text.toLowerCase().replace(unwanted, '_').replace(/_+/g, '_')
  const [prefix, rest] = [fold(server), fold(tool)]
  const short = rest.startsWith(`${prefix}_`) ? rest.slice(prefix.length + 1) : rest
  return `mcp_${prefix}_${short}`.replace(/_+/g, '_')
}

function fit(name: string, server: string, tool: string): string {
  return name.length <= maxLength ? name : marked(name, server, tool)
}

function marked(name: string, server: string, tool: string): string {
  const tail = `_${mark(`${server}\0${tool}`)}`
  return name.slice(0, maxLength - tail.length) + tail
}

function mark(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
