"""Columns to points: an encoder learns scales, categories and orders once, and applies them to any records."""

from shoal.encode.encoder import Encoder
from shoal.encode.subjects import Subjects, read_subjects, repeats, subject_text, subject_texts
from shoal.encode.weights import read_weights

__all__ = ["Encoder", "Subjects", "read_subjects", "read_weights", "repeats", "subject_text", "subject_texts"]
