/** Programs that run another program or package: the name comes from what follows. */
const runners =
  /^(?:npx|bunx|pnpx|uvx|pipx|npm|pnpm|yarn|bun|deno|uv|node|tsx|python\d*(?:\.\d+)?|docker|podman|sh|bash|env)$/
const steps: ReadonlySet<string> = new Set(['run', 'exec', 'dlx', 'x', 'tool', 'start', 'container'])
const otherName = 'server'

/** A short name for a command: `everything` for `npx -y @modelcontextprotocol/server-everything`. */
export function nameOfCommand([program = '', ...args]: readonly string[]): string {
  const base = baseOf(program)
  if (!runners.test(base)) return toName(base)
  const options = args.slice(
    0,
    args.findIndex((arg) => !arg.startsWith('-')),
  )
  if (options.some((option) => takesCode(base, option))) return toName(base)
  const word = args.find((arg) => /^[\w@./\\:][\w@./\\:-]*$/.test(arg) && !steps.has(arg))
  return toName(word === undefined ? base : baseOf(word))
}

/** Whether code follows an option: it holds no name. */
function takesCode(program: string, option: string): boolean {
  if (/^(?:sh|bash|python\d*(?:\.\d+)?)$/.test(program)) return option === '-c'
  return /^(?:node|tsx|bun|deno)$/.test(program) && /^(?:-e|-pe?|--eval|--print)$/.test(option)
}

/** A short name for an address: `context7` for `https://mcp.context7.com/mcp`. */
export function nameOfAddress(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  if (/^[\d.]+$|^\[/.test(host)) return otherName
  const labels = host.split('.')
  return toName(labels.find((label) => !/^(?:mcp|api|www)$/.test(label)) ?? host)
}

function baseOf(path: string): string {
  const last = path.split(/[/\\]/).findLast((part) => part !== '') ?? ''
  return last
    .replace(/(?<=.)@.*$/, '')
    .replace(/\.(?:exe|cmd|bat|[cm]?[jt]s|py|sh)$/i, '')
    .replace(/:[\w.-]+$/, '')
}

const maxLength = 30

function toName(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter(Boolean)
  const telling = words.filter((word) => !/^(?:mcp|server)$/i.test(word))
  return (telling.length > 0 ? telling : words).join('-').slice(0, maxLength) || otherName
}
