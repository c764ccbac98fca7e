"""Stage `contrast`: a question that names a speaker is held against whose matters answer it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.core.text import count_query_words
from realmemory.flows.interaction import CHARS
from realmemory.late import late_module
from realmemory.policies.contrast import (
    LOOKED,
    Contrast,
    Sentence,
    asks_for_deeds,
    contrast_features,
    nearest_of_each,
)
from realmemory.policies.question.standpoint import (
    Matter,
    Voice,
    person_named,
    sentences_of,
    voice_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np

    from realmemory.flows.candidates import Candidates
    from realmemory.flows.context import MemoryContext
    from realmemory.flows.fuse import Fused
    from realmemory.flows.question import Question
    from realmemory.policies.question.standpoint import Person
    from realmemory.policies.ranking import Preset
    from realmemory.store.excerpts import Excerpt
    from realmemory.store.transactions import ReadView
else:
    np = late_module("numpy")


def contrast(
    context: MemoryContext,
    view: ReadView,
    preset: Preset,
    question: Question,
    found: tuple[Candidates, Fused],
) -> Contrast | None:
    """Return whose matters answer a question about one speaker; None where none is asked about."""
    candidates, fused = found
    profile = preset.contrast
    # An explanation shows it also where the preset does not look; so weights are fitted.
    if (
        # What is of the time and of whom an open question names is not doubted for its words.
        (question.inquiry is not None and not (question.inquiry.verb and fused.missed))
        or not candidates.named
        or (profile is None and not question.options.explain)
    ):
        return None
    person = person_named(question.text, candidates.named)
    if person is None or not context.embedder.compares_words or not asks_for_deeds(question.text):
        return None
    voices = _likeliest(preset, person, candidates, fused)
    if not {Voice.NAMED, Voice.OTHER} <= set(voices.values()):
        return None
    said = list(_sentences(view.excerpts.of(voices, CHARS), voices, person))
    asked = person.without(question.text)
    likeness = context.embedder.interact(asked, [sentence.text for sentence in said]).mean
    nearest = nearest_of_each(said, likeness)
    features = contrast_features(nearest, likeness, count_query_words(asked))
    other = nearest.get(Matter.OTHER_TOLD)
    if profile is None or other is None:
        return Contrast(person.name, features)
    chance, other_id = profile.chance(features), said[other].memory_id
    return Contrast(
        person.name,
        features,
        chance,
        doubted=chance < profile.doubtful,
        refuses=chance < profile.floor,
        other_id=other_id,
        other=next(place.speaker for place in candidates.places if place.id == other_id),
    )


def _likeliest(
    preset: Preset, person: Person, candidates: Candidates, fused: Fused
) -> dict[int, Voice]:
    """Return the candidates of each voice that look best, whoever speaks."""
    around, left = candidates.evidence.surroundings, dict.fromkeys(Voice, LOOKED)
    turns = preset.said(around)
    order = np.lexsort((-np.asarray(turns), -np.asarray(fused.confidences) * ~around.is_turn))
    places = {place.id: place for place in candidates.places}
    known: dict[tuple[str, str | None], Voice | None] = {}
    chosen = {}
    for at in order.tolist():
        memory_id = candidates.ids[at]
        voice: Voice | None = Voice.UNKNOWN
        if memory_id in places:
            place = places[memory_id]
            part = (place.speaker, place.role)
            voice = (
                known[part] if part in known else known.setdefault(part, voice_of(place, person))
            )
        if voice is not None and left[voice]:
            left[voice] -= 1
            chosen[memory_id] = voice
            if not (left[Voice.NAMED] or left[Voice.OTHER]):
                break
    return chosen


def _sentences(
    texts: Mapping[int, Excerpt], voices: Mapping[int, Voice], person: Person
) -> Iterable[Sentence]:
    for memory_id, excerpt in texts.items():
        voice, parts = voices[memory_id], sentences_of(excerpt.text)
        of_person = person.spoken_of(parts) if voice is Voice.OTHER else [False] * len(parts)
        for part, of in zip(parts, of_person, strict=True):
            yield Sentence(memory_id, voice, part, of)
