import { createServer } from 'node:http'
import { createHost } from 'plugboard'
import { appFrameDocuments, hasGrants, missingGrants, noGrants, openAppSession } from 'plugboard/apps'

// The server side of a web host of one's own: a call, the documents of its app at an address of their own, and its requests.
// The page creates an <iframe src="ADDRESS"> and calls `connectApp` of plugboard/apps with `AppBridge` of @modelcontextprotocol/ext-apps.
const [command, ...args] = process.argv.slice(2)
const host = await createHost({ apps: true, accept: 'tofu', servers: { example: { command, args } } })
await host.ready()
const tool = host.tools().find(({ app }) => app !== undefined)
if (!tool) throw new Error('No tool has an app.')

const result = await host.call(tool.ref)
const app = await host.readApp(tool.ref)
const asked = missingGrants(app.wishes, noGrants)
console.log(
  `${tool.ref} has the app ${app.uri}, ${app.bytes} bytes, ${hasGrants(asked) ? 'and asks for more' : 'and asks for nothing'}`,
)

// Another origin than that of the page: here another port, and a name of its own.
const frames = new Map()
const server = createServer(({ url }, response) => {
  const answer = frames.get(url)
  frames.delete(url)
  response.writeHead(answer ? 200 : 404, answer?.headers).end(answer?.body)
}).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const frameOrigin = `http://app-1.localhost:${server.address().port}`
const documents = appFrameDocuments(app, {
  grants: noGrants,
  hostOrigin: 'http://127.0.0.1:3000',
  frameOrigin,
  appPath: '/frame-1/app',
})
frames.set('/frame-1', documents.frame).set('/frame-1/app', documents.app)
const frame = await fetch(`http://127.0.0.1:${server.address().port}/frame-1`)
console.log(`its frame: ${frame.status}, ${frame.headers.get('content-security-policy')?.split('; ').at(-1)}`)

// What the page passes on for the app: POST /call and POST /read of your own API.
const session = openAppSession(host, { server: tool.server })
const again = await session.call(tool.tool, {})
console.log(
  `the result for the app: ${Object.keys(result.raw).join(', ')}; a call of the app: ${Object.keys(again).join(', ')}`,
)
session.close()
server.close()
await host.close()
