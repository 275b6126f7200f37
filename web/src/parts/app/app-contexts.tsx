import { Button } from '../button.tsx'
import type { AppTalk } from './app-view.tsx'

/** What apps tell the model with the next message: a person sees it before it is sent, and can leave it out. */
export function AppContexts({ talk }: { readonly talk: AppTalk }) {
  return (
    <>
      {[...talk.contexts.value].map(([call, { server, text }]) => (
        <details key={call} class="app-context small">
          <summary>
            Your next message takes along {text.length} characters of the app of <b class="mono">{server}</b>
          </summary>
          <p class="wrap app-told">{text}</p>
          <Button
            kind="plain"
            about="The model is not told it"
            onPress={() => talk.setContext(call, server, '')}
          >
            Leave out
          </Button>
        </details>
      ))}
    </>
  )
}
