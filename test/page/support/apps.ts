import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FrameLocator, Page } from 'playwright-core'

const program = fileURLToPath(new URL('../../support/app-server.mjs', import.meta.url))

/** The protocol by hand: what follows may say anything. `done` shows what was found, `heard` what the page told, for the test to read. */
const protocol = `
const waiting = new Map()
let last = 0
const post = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
const request = (method, params = {}) => new Promise((resolve) => {
  waiting.set(++last, resolve)
  post({ id: last, method, params })
})
const heard = []
addEventListener('message', ({ data }) => {
  const { id, result, error, method, params } = data
  if (method?.startsWith('ui/notifications/tool-')) {
    heard.push([method.slice(17), params])
    document.body.dataset.heard = JSON.stringify(heard)
  }
  if (id !== undefined) waiting.get(id)?.(error ? 'error: ' + error.message : result)
})
const done = (value) => { document.body.dataset.found = JSON.stringify(value) }
const begin = async () => {
  await request('ui/initialize', { appInfo: { name: 'x', version: '1' }, appCapabilities: {}, protocolVersion: '2026-01-26' })
  post({ method: 'ui/notifications/initialized', params: {} })
}`

/** The document of an app with this script, after this HTML. */
export function documentOf(body: string, before = ''): string {
  return `<!doctype html><title>App</title><body>${before}<script type="module">${protocol}\n${body}</script>`
}

/** A tool that only reads. */
export function appTool(name: string, ui: object): object {
  return {
    name,
    description: `Shows ${name}.`,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
    _meta: { ui },
  }
}

/** A server whose tools, documents and results are those of the file. */
export function appServer(
  file: string,
  plan: object,
): { readonly command: string; readonly args: readonly string[] } {
  writeFileSync(file, JSON.stringify(plan))
  return { command: process.execPath, args: [program, file] }
}

/** The document of the app that a page shows. */
export function appOf(page: Page): FrameLocator {
  return page.frameLocator('.app-document').frameLocator('iframe')
}

/** What an attribute of the app's body says, once it is there. */
export async function readBody(app: FrameLocator, name: 'found' | 'heard'): Promise<unknown> {
  const body = app.locator(`body[data-${name}]`)
  await body.waitFor({ state: 'attached' })
  return JSON.parse((await body.getAttribute(`data-${name}`)) ?? '') as unknown
}
