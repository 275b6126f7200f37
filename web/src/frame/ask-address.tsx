import { useState } from 'preact/hooks'
import { Button } from '../parts/button.tsx'
import { ErrorLine } from '../parts/messages.tsx'
import { setToken, tokenOf } from '../state/session.ts'

const localHosts = ['127.0.0.1', 'localhost', '[::1]']

/** Asks for the address that the terminal shows, because only it has the token. */
export function AskAddress() {
  const [address, setAddress] = useState('')
  const [problem, setProblem] = useState<string>()
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    setProblem(useAddress(address.trim()))
  }
  return (
    <form class="buttons" onSubmit={onSubmit}>
      <input
        aria-label="Address that the terminal shows"
        placeholder={`${location.origin}/#k=…`}
        size={32}
        autoComplete="off"
        spellcheck={false}
        value={address}
        onInput={(event) => setAddress(event.currentTarget.value)}
      />
      <Button type="submit" kind="primary">
        Connect
      </Button>
      <ErrorLine error={problem === undefined ? undefined : { message: problem }} />
    </form>
  )
}

/** Takes the token of an address, or goes there; returns what is wrong with it. */
function useAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const token = url && tokenOf(url.hash)
  if (!url || token === undefined) return 'The address ends with #k= and a token.'
  if (url.origin === location.origin) setToken(token)
  else if (url.protocol === 'http:' && localHosts.includes(url.hostname)) location.assign(url)
  else return 'The address begins with http://127.0.0.1.'
  return undefined
}

/** The whole page of a tab without a token that counts. */
export function NoToken() {
  return (
    <div class="place">
      <div class="empty">
        <h1>This address has ended</h1>
        <p>
          The terminal that runs plugboard serve shows the address with its token. Paste it here, or open it.
        </p>
        <AskAddress />
        <p class="dim small">
          <code>plugboard serve --address</code> prints it again.
        </p>
      </div>
    </div>
  )
}
