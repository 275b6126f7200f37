import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { createHost } from 'plugboard'
import { serveApps } from 'plugboard/apps'
import { rolldown } from 'rolldown'

// A web host of one's own that shows the app of a tool: node examples/apps.mjs COMMAND OF A SERVER. A real one has a login before it.
const [command, ...args] = process.argv.slice(2)
const host = await createHost({ apps: true, accept: 'tofu', servers: { example: { command, args } } })
await host.ready()
const tool = host.tools().find(({ app }) => app !== undefined)
if (!tool) throw new Error('No tool has an app.')
const { raw: result } = await host.call(tool.ref)

// The browser half, by a bundler of your choice.
const input = fileURLToPath(new URL('apps-page.mjs', import.meta.url))
const bundle = await rolldown({ input, platform: 'browser' })
const { output } = await bundle.generate()

const html = '<!doctype html><title>Apps</title><body><script type="module" src="/page.js"></script>'
const page = createServer(async (request, response) => {
  const { method, url, headers } = request
  if (url === '/page.js') return response.setHeader('content-type', 'text/javascript').end(output[0].code)
  const isOwn = method === 'POST' && headers.origin === origin
  if (!isOwn) return response.setHeader('content-type', 'text/html').end(html)
  const asked = await json(request)
  const answer = url === '/open' ? await apps.open({ tool, args: {}, result }) : await apps.answer(asked)
  response.end(JSON.stringify(answer))
})
await once(page.listen(0, '127.0.0.1'), 'listening')
const origin = `http://127.0.0.1:${page.address().port}`
const apps = await serveApps(host, { origin })
console.log(`${tool.ref} is shown at ${origin}`)
