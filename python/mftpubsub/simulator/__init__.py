"""The one room that meets C++: texts, JSON and structs go in and out."""
