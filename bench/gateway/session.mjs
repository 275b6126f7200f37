import { Agent, request } from 'node:http'

/** A client of 2025-11-25 over one kept connection, with as little of its own as possible: what is measured is the gateway. */
export class Session {
  #url
  #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  #headers
  #id = 0

  constructor(url, token) {
    this.#url = new URL(url)
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token && { authorization: `Bearer ${token}` }),
    }
  }

  async open() {
    const clientInfo = { name: 'bench', version: '1.0.0' }
    await this.send('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
    this.#headers['mcp-protocol-version'] = '2025-11-25'
    await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return this
  }

  async send(method, params = {}) {
    const message = await this.#post({ jsonrpc: '2.0', id: ++this.#id, method, params })
    if (!message || message.error)
      throw new Error(`${method}: ${JSON.stringify(message?.error ?? 'no answer')}`)
    return message.result
  }

  close() {
    this.#agent.destroy()
  }

  #post(message) {
    const body = JSON.stringify(message)
    return new Promise((resolve, reject) => {
      const options = {
        method: 'POST',
        agent: this.#agent,
        headers: { ...this.#headers, 'content-length': Buffer.byteLength(body) },
      }
      const sent = request(this.#url, options, (response) => {
        const session = response.headers['mcp-session-id']
        if (session) this.#headers['mcp-session-id'] = session
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => (text += chunk))
        response.on('error', reject)
        response.on('end', () => {
          if (response.statusCode >= 400)
            return reject(new Error(`${response.statusCode} ${text.slice(0, 200)}`))
          resolve(text === '' ? undefined : messageIn(text, message.id))
        })
      })
      // A server may close a kept connection just when it is used again.
      sent.on('error', (error) =>
        sent.reusedSocket && error.code === 'ECONNRESET' ? resolve(this.#post(message)) : reject(error),
      )
      sent.end(body)
    })
  }
}

/** The answer in plain JSON, or in a stream of events with others. */
function messageIn(text, id) {
  if (text.startsWith('{')) return JSON.parse(text)
  const messages = text
    .split('\n')
    .filter((line) => line.startsWith('data:') && line.length > 6)
    .map((line) => JSON.parse(line.slice(5)))
  return messages.find((message) => message.id === id)
}
