import type { Json } from '../../../src/index.ts'

/** The address of every view; a link to it works in any tab that has the token. */
export const addresses = {
  servers: '/servers',
  server: (name: string, tab?: string) => `/servers/${part(name)}${query({ tab })}`,
  chat: '/chat',
  conversation: (id: string) => `/chat/${part(id)}`,
  tools: '/tools',
  /** With arguments the form is filled in. */
  tool: (ref: string, args?: Json) =>
    `/tools/${part(ref)}${query({ args: args === undefined ? undefined : JSON.stringify(args) })}`,
  waiting: '/waiting',
  question: (id: string) => `/waiting/${part(id)}`,
  resources: '/resources',
  /** With the template whose values made the address, if there is one. */
  resource: (server: string, uri: string, template?: string) =>
    `/resources/${part(server)}${query({ uri, template })}`,
  prompts: '/prompts',
  prompt: (ref: string) => `/prompts/${part(ref)}`,
  skills: '/skills',
  /** With one of its files. */
  skill: (ref: string, file?: string) => `/skills/${part(ref)}${query({ file })}`,
  timeline: '/timeline',
  calls: (filter: { readonly server?: string; readonly state?: string; readonly by?: string }) =>
    `/timeline${query(filter)}`,
  call: (id: string) => `/calls/${part(id)}`,
  clients: '/clients',
  client: (id: string) => `/clients/${part(id)}`,
  config: '/config',
  configFile: (file: string, line?: number) => `/config/${part(file)}${query({ line: line?.toString() })}`,
  lock: '/lock',
  held: (id: string, server?: string) => `/lock/${part(id)}${query({ server })}`,
  audit: '/audit',
  auditRow: (id: string, filter: Readonly<Record<string, string>> = {}) =>
    `/audit/${part(id)}${query(filter)}`,
  auditRows: (filter: Readonly<Record<string, string>>) => `/audit${query(filter)}`,
} as const

/** Opens an address, as a click on a link does. */
export function go(address: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  dispatchEvent(new PopStateEvent('popstate'))
}

function part(text: string): string {
  return encodeURIComponent(text)
}

function query(values: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}
