import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { rolldown } from 'rolldown'
import { createHost } from 'plugboard'
import { appFrameDocuments, noGrants, openAppSession } from 'plugboard/apps'

// A web host of one's own that shows the app of a tool: node examples/apps.mjs COMMAND OF A SERVER. A real one has a login before it.
const [command, ...args] = process.argv.slice(2)
const host = await createHost({ apps: true, accept: 'tofu', servers: { example: { command, args } } })
await host.ready()
const tool = host.tools().find(({ app }) => app !== undefined)
if (!tool) throw new Error('No tool has an app.')
const { raw: result } = await host.call(tool.ref)
const session = openAppSession(host, { server: tool.server })

// The browser half, by a bundler of your choice.
const page = new URL('apps-page.mjs', import.meta.url).pathname
const bundle = await rolldown({ input: page, platform: 'browser' })
const { output } = await bundle.generate({ format: 'esm' })

// Documents of apps have another origin than the page: another port, and a name of their own. Each is answered once.
const frames = new Map()
const listen = (answer) =>
  new Promise((resolve) => {
    const server = createServer(answer).listen(0, '127.0.0.1', () => resolve(server.address().port))
  })
const framePort = await listen(({ url }, response) => {
  const found = frames.get(url)
  frames.delete(url)
  response.writeHead(found ? 200 : 404, found?.headers).end(found?.body)
})
const routes = {
  async '/open'() {
    const id = crypto.randomUUID()
    const [origin, path] = [`http://app-${id}.localhost:${framePort}`, `/${id}`]
    const options = {
      grants: noGrants,
      hostOrigin: `http://127.0.0.1:${port}`,
      frameOrigin: origin,
      appPath: `${path}/app`,
    }
    const documents = appFrameDocuments(await host.readApp(tool.ref), options)
    frames.set(path, documents.frame).set(`${path}/app`, documents.app)
    return { origin, address: origin + path, result }
  },
  '/call': ({ name, args }) => session.call(name, args),
  '/read': ({ uri }) => session.read(uri),
}
const port = await listen(async (request, response) => {
  const route = request.method === 'POST' ? routes[request.url] : undefined
  if (route)
    return response.end(
      JSON.stringify(
        await route(await json(request)).catch(({ message }) => ({
          content: [{ type: 'text', text: message }],
          isError: true,
        })),
      ),
    )
  const isScript = request.url === '/page.js'
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
  response.end(
    isScript
      ? output[0].code
      : '<!doctype html><title>Apps</title><body><script type="module" src="/page.js"></script>',
  )
})
console.log(`${tool.ref} is shown at http://127.0.0.1:${port}`)
