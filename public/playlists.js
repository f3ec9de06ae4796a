// Fills the moment of the player into the form that adds a call to a playlist.

const formatClock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`

document.addEventListener(
  'toggle',
  ({ target, newState }) => {
    const field = target.querySelector?.('[data-moment-now]')
    const now = document.getElementById('sound')?.currentTime
    if (field && newState === 'open' && now > 0) field.value = formatClock(now)
  },
  true,
)
