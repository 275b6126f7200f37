import { usage } from './errors.ts'

/** `server/tool`; a slash in the name of a server is `%2F`, a percent sign may be `%25`. */
export function parseRef(ref: string): { readonly server: string; readonly tool: string } {
  const at = ref.indexOf('/')
  const tool = ref.slice(at + 1)
  if (at <= 0 || tool === '') throw usage(`"${ref}" names no tool.`, 'A tool is named SERVER/TOOL.')
  return { server: decode(ref.slice(0, at)), tool }
}

export function toRef(server: string, tool: string): string {
  return `${server.replaceAll('%', '%25').replaceAll('/', '%2F')}/${tool}`
}

function decode(name: string): string {
  return name.replace(/%(2f|25)/gi, (_, code: string) => (code === '25' ? '%' : '/'))
}
