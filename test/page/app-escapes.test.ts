import { createSocket } from 'node:dgram'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServed } from '../support/served.ts'
import { appServer, appTool, documentOf, readBody } from './support/apps.ts'
import { browserTest, noBrowser, slow } from './support/browser.ts'
import { showCall } from './support/show-call.ts'
import { pageFolder, usePageWorld } from './support/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'plugboard-escapes-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Peer connections ask such a server for their own address: it counts the packets that reach it. */
function packetCounter() {
  const socket = createSocket('udp4', () => counter.packets++)
  const counter = { packets: 0, port: () => socket.address().port }
  beforeAll(() => new Promise<void>((resolve) => void socket.bind(0, '127.0.0.1', resolve)))
  afterAll(() => void socket.close())
  return counter
}
const [ofApps, ofOthers] = [packetCounter(), packetCounter()]

/** A script that sends a packet if its realm can, and says so to the app around it. */
const send = (name: string, { port } = ofApps) =>
  `const say=(is)=>parent.postMessage({${name}:is},"*");` +
  `try{const peer=new RTCPeerConnection({iceServers:[{urls:"stun:127.0.0.1:${port()}"}]});` +
  'peer.createDataChannel("x");peer.createOffer().then((offer)=>peer.setLocalDescription(offer));say("sends")}catch{say("refused")}'
const quoted = (name: string) =>
  `<script>${send(name)}</script>`.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
/** As a literal in the script of the app, which may not have the end tag of a script. */
const literal = (text: string) => JSON.stringify(text).replaceAll('</', '<\\/')
const frameText = (name: string) => literal(`<script>${send(name)}</script>`)
const markup = (name: string) => literal(`<iframe srcdoc="${quoted(name)}"></iframe>`)

/** Ways of an app to a frame of its own text. */
const ways = {
  property: () => `const frame = make(); frame.srcdoc = ${frameText('property')}; add(frame)`,
  attribute: () =>
    `const frame = make(); frame.setAttribute('srcdoc', ${frameText('attribute')}); add(frame)`,
  node: () =>
    `const frame = make(); const own = document.createAttribute('srcdoc'); own.value = ${frameText('node')}; frame.setAttributeNode(own); add(frame)`,
  inSpace: () =>
    `const frame = make(); frame.setAttributeNS(null, 'srcdoc', ${frameText('inSpace')}); add(frame)`,
  later: () =>
    `const frame = make(); frame.setAttribute('srcdoc', ''); frame.attributes[0].value = ${frameText('later')}; add(frame)`,
  asNode: () =>
    `const frame = make(); frame.setAttribute('srcdoc', ''); frame.attributes[0].textContent = ${frameText('asNode')}; add(frame)`,
  inner: () =>
    `const frame = make(); frame.srcdoc = '<script>' + ${literal(`const frame=document.createElement("iframe");addEventListener("message",({data})=>parent.postMessage(data,"*"));frame.srcdoc=`)} + JSON.stringify(${frameText('inner')}).replaceAll('</', '<\\\\/') + ';document.documentElement.append(frame)</scr' + 'ipt>'; add(frame)`,
  ofOther: () =>
    `const frame = document.implementation.createHTMLDocument('').createElement('iframe'); frame.srcdoc = ${frameText('ofOther')}; add(frame)`,
  script: () =>
    `const frame = make(); frame.src = 'javascript:' + encodeURIComponent(${literal(send('script'))}); add(frame)`,
  markup: () => `box().innerHTML = ${markup('markup')}`,
  upperCase: () =>
    `box().insertAdjacentHTML('beforeend', ${markup('upperCase')}.replace('iframe', 'IFrame'))`,
  nameless: () => `box().innerHTML = '<iframe ="' + ${literal(quoted('nameless'))} + '"></iframe>'`,
  closedRoot: () => `box().attachShadow({ mode: 'closed' }).innerHTML = ${markup('closedRoot')}`,
  declared: () =>
    `box().setHTMLUnsafe('<p><template shadowrootmode=closed>' + ${markup('declared')} + '</template>')`,
  parsed: () => `add(new DOMParser().parseFromString(${markup('parsed')}, 'text/html').body.firstChild)`,
  xml: () =>
    `add(document.adoptNode(new DOMParser().parseFromString(${markup('xml')}.replaceAll('iframe', 'x:iframe').replace('iframe ', 'iframe xmlns:x="http://www.w3.org/1999/xhtml" ').replaceAll('<script', '&lt;script').replaceAll('</script', '&lt;/script'), 'text/xml').documentElement))`,
  defaults: () =>
    `add(document.adoptNode(new DOMParser().parseFromString('<!DOCTYPE p [<!ATTLIST iframe srcdoc CDATA "&lt;script>${send('defaults').replaceAll('"', '&quot;').replaceAll("'", '&apos;').replaceAll('=>', '=&gt;')}&lt;/script>">]><p><iframe xmlns="http://www.w3.org/1999/xhtml"/></p>', 'text/xml').documentElement.firstChild))`,
  link: () =>
    `location.href = 'javascript:' + encodeURIComponent(${literal(`"<script>${send('link')}</script>"`)})`,
  entity: () =>
    `add(document.adoptNode(new DOMParser().parseFromString('<!DOCTYPE p [<!ENTITY e "<ifr&#97;me xmlns=\\'http://www.w3.org/1999/xhtml\\' srcdoc=\\'&#38;lt;script>${send('entity').replaceAll('"', '&#38;quot;').replaceAll('=>', '=&#38;gt;')}&#38;lt;/script>\\'/>">]><p>&e;</p>', 'text/xml').documentElement.firstChild))`,
  transformed: () => `
    const space = 'http://www.w3.org/1999/XSL/Transform'
    const sheet = document.implementation.createDocument(space, 'xsl:stylesheet')
    const at = (parent, name, attributes) => { const made = sheet.createElementNS(space, 'xsl:' + name); for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value); parent.append(made); return made }
    sheet.documentElement.setAttribute('version', '1.0')
    const frame = at(at(sheet.documentElement, 'template', { match: '/' }), 'element', { name: 'iframe' })
    at(frame, 'attribute', { name: 'srcdoc' }).append(${frameText('transformed')})
    const processor = new XSLTProcessor()
    processor.importStylesheet(sheet)
    add(processor.transformToFragment(sheet, document))`,
  policy: () => `
    const { get } = Object.getOwnPropertyDescriptor(TrustedTypePolicyFactory.prototype, 'defaultPolicy')
    const frame = make()
    frame.srcdoc = get.call(trustedTypes).createHTML(${frameText('policy')}, 'TrustedHTML', 'Element innerHTML')
    add(frame)`,
  copied: () =>
    `const frame = document.querySelector('#copied').content.firstChild.cloneNode(); frame.removeAttribute('sandbox'); add(frame)`,
  // The last: functions that are looked up later are the app's.
  replaced: () => `
    String.prototype.charCodeAt = String.prototype.indexOf = () => -1
    String.prototype.slice = RegExp.prototype.exec = () => null
    Reflect.apply = () => ''
    box().innerHTML = ${markup('replaced')}
    const frame = make(); frame.srcdoc = ${frameText('replacedToo')}; add(frame)`,
}

/** Frames of the document itself. */
const written = () =>
  `<iframe srcdoc="${quoted('first')}"></iframe><IFRAME title=">" src="javascript:0"\nsrcdoc="${quoted('second')}"></IFRAME>` +
  `<p><template shadowrootmode="closed"><iframe/srcdoc="${quoted('third')}"></iframe></template></p>` +
  `<iframe ="${quoted('fourth')}"></iframe>` +
  `<script>try{document.write('<ifr');document.write('ame srcdoc="${quoted('written').replaceAll("'", '&apos;').replaceAll('</', '<\\/')}"></iframe>')}catch{}</script>` +
  `<template id="copied"><iframe sandbox srcdoc="${quoted('copied')}"></iframe></template>`

const apps = {
  peers: () => `
    const found = {}
    addEventListener('message', ({ data, source }) => { if (source !== parent) Object.assign(found, data) })
    await begin()
    const make = () => document.createElement('iframe')
    const add = (node) => document.body.append(node)
    const box = () => { const made = document.createElement('div'); add(made); return made }
    ${Object.entries(ways)
      .map(([name, way]) => `try { ${way()} } catch { found.${name} ??= 'no frame' }`)
      .join('\n')}
    // The frames that are shown have said so.
    const shown = ['property', 'attribute', 'node', 'inSpace', 'later', 'asNode', 'inner', 'ofOther', 'replacedToo']
    while (!shown.every((name) => name in found)) await new Promise((resolve) => setTimeout(resolve, 20))
    done(found)`,
}

describe.skipIf(noBrowser)('hostile apps with frames of their own', browserTest, () => {
  const world = usePageWorld(async () => {
    const documents = { 'ui://evil/peers': { html: documentOf(apps.peers(), written()) } }
    const tools = [appTool('peers', { resourceUri: 'ui://evil/peers' })]
    return startServed({ evil: appServer(join(folder, 'plan.json'), { tools, documents }) }, { pageFolder })
  })

  test('T15 no frame that an app makes of its own text has peer connections, and those of honest ones run', async () => {
    const { page, app } = await showCall(world, 'evil/peers')
    expect(await readBody(app, 'found')).toEqual({
      property: 'refused',
      attribute: 'refused',
      node: 'refused',
      inSpace: 'refused',
      later: 'refused',
      asNode: 'refused',
      inner: 'refused',
      ofOther: 'refused',
      replacedToo: 'refused',
      entity: 'no frame',
      transformed: 'no frame',
      policy: 'no frame',
    })
    // A page without an app does send: the packets of the frames would have come before.
    const other = await world.browser().page()
    await other.goto('about:blank')
    await other.addScriptTag({ content: send('control', ofOthers) })
    await expect.poll(() => ofOthers.packets, slow).toBeGreaterThan(0)
    expect(ofApps.packets).toBe(0)
    await other.close()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped.').waitFor()
  })
})
