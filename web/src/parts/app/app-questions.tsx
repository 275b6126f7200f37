import { useEffect, useState } from 'preact/hooks'
import type { OpenedApp } from '../../../../src/client.ts'
import type { Action } from '../../state/answers.ts'
import { Button } from '../button.tsx'
import { ErrorLine } from '../messages.tsx'

/** What an app asks for, once, and what it was granted, with a way to take it back. */
export function AppAsks({
  app,
  grant,
  revoke,
}: {
  readonly app: OpenedApp
  readonly grant: Action<[]>
  readonly revoke: Action<[]>
}) {
  const [isLeft, setIsLeft] = useState(false)
  const asked = linesOf(app.asked)
  const granted = linesOf(app.granted)
  return (
    <>
      {asked.length > 0 && !isLeft && (
        <div class="frame is-asking app-asks">
          <p>This app runs without asking anyone. It would like:</p>
          <ul>
            {asked.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          <div class="buttons">
            <Button
              kind="primary"
              action={grant}
              about="Remembered for this app of this server, until you take it back"
            >
              Allow
            </Button>
            <Button about="The app stays as it is" onPress={() => setIsLeft(true)}>
              Not now
            </Button>
          </div>
          <ErrorLine error={grant.error} />
        </div>
      )}
      {granted.length > 0 && (
        <div class="app-granted small">
          <span class="dim">You allowed: {granted.join(', ')}</span>
          <Button kind="plain" action={revoke} about="The app is opened again without it">
            Take back
          </Button>
          <ErrorLine error={revoke.error} />
        </div>
      )}
    </>
  )
}

/** A person who clicks where the question appears has not read it. */
const settleMs = 500

/** An address that an app wants to open, whole. */
export function AppLink({
  url,
  server,
  onAnswer,
}: {
  readonly url: string
  readonly server: string
  readonly onAnswer: (isYes: boolean) => void
}) {
  const [isSettled, setIsSettled] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsSettled(true), settleMs)
    return () => clearTimeout(timer)
  }, [url])
  const open = () => {
    window.open(url, '_blank', 'noopener,noreferrer')
    onAnswer(true)
  }
  return (
    <div class="frame is-asking app-asks" role="alertdialog" aria-label="Open a page">
      <p>
        The app of <b class="mono">{server}</b> wants to open a page:
      </p>
      <p class="mono app-url">{url}</p>
      <div class="buttons">
        <Button kind="primary" {...(isSettled ? { onPress: open } : { refused: 'Read the address first.' })}>
          Open
        </Button>
        <Button onPress={() => onAnswer(false)}>No</Button>
      </div>
    </div>
  )
}

function linesOf({ connect, resources, frames, permissions }: OpenedApp['asked']): readonly string[] {
  return [
    ...connect.map((origin) => `send to and receive from ${origin}`),
    ...resources.map((origin) => `load code, images and fonts from ${origin}`),
    ...frames.map((origin) => `show pages of ${origin}`),
    ...permissions.map((name) => words[name]),
  ]
}

const words = {
  camera: 'use the camera',
  microphone: 'use the microphone',
  geolocation: 'know where you are',
  'clipboard-write': 'write to the clipboard',
} as const
