"""What people look at: charts."""
