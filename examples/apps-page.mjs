import { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge'
import { showApp } from 'plugboard/apps'

// The browser half of apps.mjs: a frame with the app, whose requests go to the program.
const post = async (path, body) => (await fetch(path, { method: 'POST', body: JSON.stringify(body) })).json()
const info = { name: 'example', version: '1.0.0' }
const request = (asked) => post('/request', asked)
await showApp(await post('/open', {}), { AppBridge, info, request, into: document.body })
