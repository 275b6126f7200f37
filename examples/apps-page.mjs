import { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge'
import { connectApp } from 'plugboard/apps'

// The browser half of apps.mjs: a frame for the app, and its requests passed on to the server.
const ask = async (path, body) => (await fetch(path, { method: 'POST', body: JSON.stringify(body) })).json()
const { origin, address, result } = await ask('/open', {})
const frame = document.createElement('iframe')
const app = await connectApp({
  AppBridge,
  origin,
  surroundings: {
    contentWindow: () => frame.contentWindow,
    addEventListener: (...listening) => addEventListener(...listening),
    removeEventListener: (...listening) => removeEventListener(...listening),
  },
  info: { name: 'example', version: '1.0.0' },
  context: { theme: 'light' },
  callTool: (name, args) => ask('/call', { name, args }),
  readResource: (uri) => ask('/read', { uri }),
  onHeight: (height) => (frame.style.height = `${height}px`),
})
frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms')
frame.src = address
document.body.append(frame)
app.sendInput({})
app.sendResult(result)
