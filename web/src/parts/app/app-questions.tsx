import { useEffect, useState } from 'preact/hooks'
import type { OpenedApp } from '../../../../src/client.ts'
import { useAction } from '../../state/answers.ts'
import type { Action } from '../../state/answers.ts'
import { Button } from '../button.tsx'
import { ErrorLine } from '../messages.tsx'
import type { AppTalk } from './app-view.tsx'

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
          <p>This app asks for more than its own window:</p>
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

/** What an app wants of a person. */
export interface Asked {
  readonly kind: 'link' | 'message'
  /** The address, or the words. */
  readonly text: string
  readonly answer: (isYes: boolean) => void
}

/** An address that an app wants to open, or a message that it wants to send: whole. */
export function AppQuestion({
  asked,
  server,
  talk,
}: {
  readonly asked: Asked
  readonly server: string
  readonly talk: AppTalk | undefined
}) {
  const { kind, text, answer } = asked
  const isLink = kind === 'link'
  const [isSettled, setIsSettled] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsSettled(true), settleMs)
    return () => clearTimeout(timer)
  }, [])
  const say = useAction(async () => {
    await talk?.send({ text: `From the app of ${server}:\n\n${text}`, images: [], resources: [] })
    answer(true)
  })
  const open = () => {
    window.open(text, '_blank', 'noopener,noreferrer')
    answer(true)
  }
  const refused = isSettled
    ? !isLink && talk?.isRunning && 'Wait until the answer is complete.'
    : 'Read it first.'
  return (
    <div
      class="frame is-asking app-asks"
      role="alertdialog"
      aria-label={isLink ? 'Open a page' : 'Send a message'}
    >
      <p>
        The app of <b class="mono">{server}</b> wants to {isLink ? 'open a page' : 'send this to the model'}:
      </p>
      <p class={isLink ? 'mono app-url' : 'wrap app-told'}>{text}</p>
      <div class="buttons">
        <Button kind="primary" {...(refused ? { refused } : isLink ? { onPress: open } : { action: say })}>
          {isLink ? 'Open' : 'Send'}
        </Button>
        <Button onPress={() => answer(false)}>No</Button>
      </div>
      <ErrorLine error={say.error} />
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
